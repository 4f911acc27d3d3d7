/** Generated from the OpenAPI document by packages/client/generate.ts. Do not edit. */
export interface paths {
    "/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List activities
         * @description Emails, events, workflow starts, and sent campaigns in one list, newest first. A cursor stays valid when entries are added or deleted. It is null on the last page. `metadata` depends on the type. `email.*`: `emailId`, `subject`, `source`, `campaignId`, `templateId`, and `occurredAt` (the time at which it happened; `timestamp` is the time at which the service learned of it). Clicks also have `url`, bounces `bounceType` and `reason`. `event.tracked`, `contact.*`, and `segment.*`: `eventName` and `data`. `workflow.started`: `executionId`, `workflowId`, and `workflowName`. `campaign.sent`: `campaignId`, `campaignName`, and `totalRecipients`.
         */
        get: {
            parameters: {
                query?: {
                    contactId?: string;
                    cursor?: string;
                    /** @description An ISO 8601 date or timestamp. A date is the end of that UTC day. */
                    endDate?: string;
                    limit?: number;
                    /** @description An ISO 8601 date or timestamp, not after `endDate`. A date is the start of that UTC day. */
                    startDate?: string;
                    /** @description One or more types, separated by commas. See `GET /activity/types`. */
                    types?: string | string[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Activity"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity/recent-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count recent activities */
        get: {
            parameters: {
                query?: {
                    /** @description At most 1,440 (one day). */
                    minutes?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            count: number;
                            minutes: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve activity figures
         * @description Covers all time, or the UTC days from `startDate` to `endDate`. Emails count on the day on which they were sent, opened, or clicked, even if the service learned of it later.
         */
        get: {
            parameters: {
                query?: {
                    /** @description An ISO 8601 date or timestamp. A date is the end of that UTC day. */
                    endDate?: string;
                    /** @description An ISO 8601 date or timestamp, not after `endDate`. A date is the start of that UTC day. */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ActivityStats"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the activity types */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            types: ("email.scheduled" | "email.cancelled" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.failed" | "email.received" | "contact.subscribed" | "contact.unsubscribed" | "segment.entry" | "segment.exit" | "event.tracked" | "campaign.sent" | "workflow.started")[];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity/upcoming": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List upcoming activities
         * @description Scheduled campaigns (`campaign.scheduled`) and executions that sleep or wait until a time (`workflow.waiting`), the soonest first. `timestamp` is the due time. Overdue entries are included. The metadata of `campaign.scheduled` has `campaignId`, `campaignName`, and `subject`. The metadata of `workflow.waiting` has `executionId`, `workflowId`, `workflowName`, `stepType`, `stepName`, and `waitingFor`, the event that may end the wait earlier.
         */
        get: {
            parameters: {
                query?: {
                    daysAhead?: number;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            activities: components["schemas"]["Activity"][];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/campaign-stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve campaign figures */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CampaignsSummary"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the growth of contacts
         * @description Covers days of `timezone`, by default the last 30 and at most 365, oldest first. Deleted contacts are not counted.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The number of days up to `endDate` or today, if `startDate` is not given. At most 365. */
                    days?: number;
                    /** @description The last day: an ISO 8601 date, or a timestamp in it. */
                    endDate?: string;
                    /** @description The first day: an ISO 8601 date, or a timestamp in it. */
                    startDate?: string;
                    /** @description A name of the IANA time zone database, such as `Europe/Berlin`. */
                    timezone?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ContactGrowth"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve email figures over time
         * @description Covers days of `timezone`, by default the last 30 and at most 365. `startDate` and `endDate` are inclusive. Every day or hour is listed, oldest first. An email counts once per column, when it was sent, delivered, first opened, and so on, even if the service learned of it later. With `groupBy`, each day or hour has one entry for each of the 10 groups with the most emails sent in the range, and one for all other emails.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Adds the figures of the preceding period with the same number of days. */
                    compare?: "previous";
                    /** @description The number of days up to `endDate` or today, if `startDate` is not given. At most 365. */
                    days?: number;
                    /** @description The last day: an ISO 8601 date, or a timestamp in it. */
                    endDate?: string;
                    groupBy?: "source" | "type" | "campaign" | "template" | "workflow" | "recipientDomain";
                    /** @description With `hour`, at most 31 days. */
                    interval?: "hour" | "day";
                    /** @description The first day: an ISO 8601 date, or a timestamp in it. */
                    startDate?: string;
                    /** @description A name of the IANA time zone database, such as `Europe/Berlin`. */
                    timezone?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnalyticsPoint"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/top-campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the top campaigns
         * @description Campaigns with at least one recipient, most opens first: of all time, or those whose sending started between `startDate` and `endDate`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description An ISO 8601 date or timestamp. A date is the end of that UTC day. */
                    endDate?: string;
                    limit?: number;
                    /** @description An ISO 8601 date or timestamp, not after `endDate`. A date is the start of that UTC day. */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TopCampaign"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/top-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the top events
         * @description The most frequent events, including those that the service records. Covers UTC days, by default the last 30. `startDate` and `endDate` are inclusive. An end before the start, or more than 365 days, returns 422.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The number of days up to `endDate` or today, if `startDate` is not given. At most 365. */
                    days?: number;
                    /** @description An ISO 8601 date or timestamp. A date is the end of that UTC day. */
                    endDate?: string;
                    limit?: number;
                    /** @description An ISO 8601 date or timestamp, not after `endDate`. A date is the start of that UTC day. */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TopEvent"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/github": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in with GitHub
         * @description For browsers. Redirects to GitHub, whose callback redirects to the dashboard. Returns 404 if GitHub is not configured; see `GET /auth/oauth-config`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Redirect to GitHub. */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/github/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Handle the callback from GitHub
         * @description Sets the session cookie and redirects to the dashboard. Only an address that the provider has verified is accepted. If the address already has an account, the identity is linked to it only if the browser is logged in to that account, or if another provider's sign-in created the account and it has no password. Otherwise, log in first.
         *
         *     A failed sign-in redirects to `/auth/login?error=…` in the dashboard: `denied`, `invalid_state`, `provider_failed`, `email_not_verified`, `account_exists`, `already_linked` (the account is linked to another identity at the provider), or `signups_disabled`.
         */
        get: {
            parameters: {
                query?: {
                    code?: string;
                    error?: string;
                    state?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Redirect to the dashboard. */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/google": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in with Google
         * @description For browsers. Redirects to Google, whose callback redirects to the dashboard. Returns 404 if Google is not configured; see `GET /auth/oauth-config`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Redirect to Google. */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/google/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Handle the callback from Google
         * @description Sets the session cookie and redirects to the dashboard. Only an address that the provider has verified is accepted. If the address already has an account, the identity is linked to it only if the browser is logged in to that account, or if another provider's sign-in created the account and it has no password. Otherwise, log in first.
         *
         *     A failed sign-in redirects to `/auth/login?error=…` in the dashboard: `denied`, `invalid_state`, `provider_failed`, `email_not_verified`, `account_exists`, `already_linked` (the account is linked to another identity at the provider), or `signups_disabled`.
         */
        get: {
            parameters: {
                query?: {
                    code?: string;
                    error?: string;
                    state?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Redirect to the dashboard. */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Sets the session cookie for 7 days. Returns 401 `INVALID_CREDENTIALS` for a wrong password and for an unknown address. After 10 failures for one address, or 100 from one network (an IPv4 address or an IPv6 /64), within 15 minutes, it returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`, even for the correct password. Successful logins do not count.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        password: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Log out (GET)
         * @description Ends the session on the server, so that copies of its cookie stop working, and clears the cookie. Other sessions of the user continue. Also returns 200 without a session. A browser request from another site returns 403 `FORBIDDEN` and ends nothing. Prefer `POST /auth/logout`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Log out
         * @description Ends the session on the server, so that copies of its cookie stop working, and clears the cookie. Other sessions of the user continue. Also returns 200 without a session. A browser request from another site returns 403 `FORBIDDEN` and ends nothing.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/oauth-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sign-in providers */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            github: boolean;
                            google: boolean;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/request-password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a password reset email
         * @description The response and its time are the same for every address. Addresses without an account get no email. The link in the email opens `/auth/reset-password?token=…` in the dashboard; the token is valid for one hour and works once. After 5 requests for an address within 15 minutes, it returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/request-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a verification email
         * @description Verifies `email`, or the address of the session's user. The response is the same for every address. Verified addresses and addresses without an account get no email. The link in the email opens `/auth/verify-email?token=…` in the dashboard; the token is valid for one hour and works once. After 5 requests for an address within 15 minutes, it returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the form for a new password
         * @description The link of the reset email, if no dashboard is configured.
         */
        get: {
            parameters: {
                query?: {
                    token?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /**
         * Choose a new password
         * @description Replaces the password with the token from the email, ends all sessions of the user, and marks the address as verified. It starts no session, so log in with the new password. Returns 400 `BAD_REQUEST` if the token is unknown, was already used, or is older than one hour.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        password: string;
                        /** @description The token from the email. */
                        token: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset-password/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password (page)
         * @description Called by the form of the page, with the field `password`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/signup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account
         * @description Creates an account and sets the session cookie for 7 days. Returns 409 `CONFLICT` if the address already has an account, and 403 `FORBIDDEN` if sign-ups are disabled. After 10 attempts for one address, or 100 from one network (an IPv4 address or an IPv6 /64), within 15 minutes, it returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`. Successful attempts count, too.
         *
         *     If the installation requires verified addresses, it sends the verification email. Until the address is verified, all endpoints except `GET` and `PATCH /users/@me` and `/auth/*` return 403 `EMAIL_VERIFICATION_REQUIRED`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        password: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Confirm the verification of an address
         * @description The link of the verification email, if no dashboard is configured. Changes nothing, because mail scanners follow links.
         */
        get: {
            parameters: {
                query?: {
                    token?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /**
         * Verify an address
         * @description Verifies the address that received the token. Returns 400 `BAD_REQUEST` if the token is unknown, was already used, or is older than one hour.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The token from the email. */
                        token: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify-email/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an address (page)
         * @description Called by the button of the page.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/c/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Link of a tracked email
         * @description Records the click and redirects to the original URL. An invalid token returns 404.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A redirect to the original URL. */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The token is not valid. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List campaigns
         * @description `search` matches part of the name, subject, or sender address. Case-insensitive. An unrecognized `sort` or `dir` falls back to createdAt and desc. The counters of a campaign that has ended do not change afterwards.
         */
        get: {
            parameters: {
                query?: {
                    dir?: "asc" | "desc";
                    page?: number;
                    pageSize?: number;
                    search?: string;
                    sort?: "createdAt" | "name" | "updatedAt";
                    /** @description Any other value returns 400. */
                    status?: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Campaign"][];
                            page: number;
                            pageSize: number;
                            total: number;
                            totalPages: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a campaign
         * @description Creates a draft. Of `segmentId` and `audienceCondition`, only the one that the audience type uses is stored. Returns 403 for an unverified sender domain, 404 for an unknown segment or template, 422 for an invalid condition (with the path of each error), and 400 for a condition that references an unknown segment. With `draft: true`, only `name` is required, and missing fields, syntax errors, and unverified domains are listed in `problems`. A draft with errors cannot be sent.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Required if `audienceType` is FILTERED. Ignored otherwise. */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        /** @enum {string} */
                        audienceType: "ALL" | "SEGMENT" | "FILTERED";
                        /** @description HTML with `{{ variable }}` placeholders. Required without `design` and `templateId`. */
                        body?: string;
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /** @enum {boolean} */
                        draft?: false;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        /** @description Required without `templateId`. The domain must be verified. */
                        from?: string;
                        fromName?: string | null;
                        name: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        /** @description Required if `audienceType` is SEGMENT. Ignored otherwise. */
                        segmentId?: string | null;
                        /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
                        sendWindow?: components["schemas"]["SendWindowInput"] | null;
                        /** @description Required without `templateId`. */
                        subject?: string;
                        /** @description A template that provides the missing fields among subject, body, from, fromName, replyTo, and type. */
                        templateId?: string | null;
                        /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
                        test?: {
                            /**
                             * @description Hours from the last email of the test until the decision, if it is automatic.
                             * @default 4
                             */
                            after?: number;
                            /**
                             * @default auto
                             * @enum {string}
                             */
                            decide?: "auto" | "manual";
                            /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                            ifTied?: string;
                            /**
                             * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                             * @example clicks
                             */
                            metric: string;
                            /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                            share: number;
                        } | null;
                        /**
                         * @description Default: the template's type, or MARKETING without a template.
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                        /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
                        variants?: {
                            /** @description HTML. Replaces the body or the design of the campaign. */
                            body?: string;
                            /** @description The domain must be verified. */
                            from?: string;
                            fromName?: string;
                            /**
                             * @description Your name for it.
                             * @example a
                             */
                            id: string;
                            preheader?: string;
                            subject?: string;
                            /** @description Its share of the test, in percent. The weights add up to 100. */
                            weight: number;
                        }[] | null;
                    } | {
                        /** @description Required if `audienceType` is FILTERED. Ignored otherwise. */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        audienceType?: ("ALL" | "SEGMENT" | "FILTERED") | null;
                        body?: string | null;
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /**
                         * @description Saves without the checks of the required fields, the syntax, and the sender domain.
                         * @enum {boolean}
                         */
                        draft: true;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        from?: string | null;
                        fromName?: string | null;
                        name: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        /** @description Required if `audienceType` is SEGMENT. Ignored otherwise. */
                        segmentId?: string | null;
                        /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
                        sendWindow?: components["schemas"]["SendWindowInput"] | null;
                        subject?: string | null;
                        /** @description A template that provides the missing fields among subject, body, from, fromName, replyTo, and type. */
                        templateId?: string | null;
                        /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
                        test?: {
                            /**
                             * @description Hours from the last email of the test until the decision, if it is automatic.
                             * @default 4
                             */
                            after?: number;
                            /**
                             * @default auto
                             * @enum {string}
                             */
                            decide?: "auto" | "manual";
                            /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                            ifTied?: string;
                            /**
                             * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                             * @example clicks
                             */
                            metric: string;
                            /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                            share: number;
                        } | null;
                        /**
                         * @description Default: the template's type, or MARKETING without a template.
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                        /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
                        variants?: {
                            /** @description HTML. Replaces the body or the design of the campaign. */
                            body?: string;
                            /** @description The domain must be verified. */
                            from?: string;
                            fromName?: string;
                            /**
                             * @description Your name for it.
                             * @example a
                             */
                            id: string;
                            preheader?: string;
                            subject?: string;
                            /** @description Its share of the test, in percent. The weights add up to 100. */
                            weight: number;
                        }[] | null;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Campaign"];
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a campaign
         * @description The counters are current. A malformed UUID in the path returns 422. An unknown campaign and a campaign of another project return 404.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Campaign"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        /**
         * Replace a campaign
         * @description Allowed in DRAFT and SCHEDULED (409 otherwise). The required fields are those of creation. A missing optional field becomes null or its default. A scheduled campaign keeps its date, and must be complete also with `draft: true`. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Required if `audienceType` is FILTERED. Ignored otherwise. */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        /** @enum {string} */
                        audienceType: "ALL" | "SEGMENT" | "FILTERED";
                        /** @description HTML with `{{ variable }}` placeholders. Required without `design` and `templateId`. */
                        body?: string;
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /** @enum {boolean} */
                        draft?: false;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        /** @description Required without `templateId`. The domain must be verified. */
                        from?: string;
                        fromName?: string | null;
                        name: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        /** @description Required if `audienceType` is SEGMENT. Ignored otherwise. */
                        segmentId?: string | null;
                        /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
                        sendWindow?: components["schemas"]["SendWindowInput"] | null;
                        /** @description Required without `templateId`. */
                        subject?: string;
                        /** @description A template that provides the missing fields among subject, body, from, fromName, replyTo, and type. */
                        templateId?: string | null;
                        /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
                        test?: {
                            /**
                             * @description Hours from the last email of the test until the decision, if it is automatic.
                             * @default 4
                             */
                            after?: number;
                            /**
                             * @default auto
                             * @enum {string}
                             */
                            decide?: "auto" | "manual";
                            /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                            ifTied?: string;
                            /**
                             * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                             * @example clicks
                             */
                            metric: string;
                            /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                            share: number;
                        } | null;
                        /**
                         * @description Default: the template's type, or MARKETING without a template.
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                        /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
                        variants?: {
                            /** @description HTML. Replaces the body or the design of the campaign. */
                            body?: string;
                            /** @description The domain must be verified. */
                            from?: string;
                            fromName?: string;
                            /**
                             * @description Your name for it.
                             * @example a
                             */
                            id: string;
                            preheader?: string;
                            subject?: string;
                            /** @description Its share of the test, in percent. The weights add up to 100. */
                            weight: number;
                        }[] | null;
                    } | {
                        /** @description Required if `audienceType` is FILTERED. Ignored otherwise. */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        audienceType?: ("ALL" | "SEGMENT" | "FILTERED") | null;
                        body?: string | null;
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /**
                         * @description Saves without the checks of the required fields, the syntax, and the sender domain.
                         * @enum {boolean}
                         */
                        draft: true;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        from?: string | null;
                        fromName?: string | null;
                        name: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        /** @description Required if `audienceType` is SEGMENT. Ignored otherwise. */
                        segmentId?: string | null;
                        /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
                        sendWindow?: components["schemas"]["SendWindowInput"] | null;
                        subject?: string | null;
                        /** @description A template that provides the missing fields among subject, body, from, fromName, replyTo, and type. */
                        templateId?: string | null;
                        /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
                        test?: {
                            /**
                             * @description Hours from the last email of the test until the decision, if it is automatic.
                             * @default 4
                             */
                            after?: number;
                            /**
                             * @default auto
                             * @enum {string}
                             */
                            decide?: "auto" | "manual";
                            /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                            ifTied?: string;
                            /**
                             * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                             * @example clicks
                             */
                            metric: string;
                            /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                            share: number;
                        } | null;
                        /**
                         * @description Default: the template's type, or MARKETING without a template.
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                        /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
                        variants?: {
                            /** @description HTML. Replaces the body or the design of the campaign. */
                            body?: string;
                            /** @description The domain must be verified. */
                            from?: string;
                            fromName?: string;
                            /**
                             * @description Your name for it.
                             * @example a
                             */
                            id: string;
                            preheader?: string;
                            subject?: string;
                            /** @description Its share of the test, in percent. The weights add up to 100. */
                            weight: number;
                        }[] | null;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Campaign"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        post?: never;
        /**
         * Delete a campaign
         * @description Returns 409 while the campaign is SCHEDULED or SENDING, and while its last emails are in flight after a cancellation. Its emails stay in the log. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update a campaign
         * @description Changes only the given fields. Allowed in DRAFT and SCHEDULED (409 otherwise). A new `templateId` supplies the fields that have no value. With `draft: true`, the rules of drafts apply; otherwise, a syntax error or an unverified sender in a given field returns 422 or 403, also for a draft. A draft stays one until `draft: false`, which returns 422 or 403 if it is not complete. A SCHEDULED campaign must stay complete, and a new test needs 100 recipients per variant (422 with TEST_TOO_SMALL). If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Required if `audienceType` is FILTERED. Ignored otherwise. */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        /** @enum {string} */
                        audienceType?: "ALL" | "SEGMENT" | "FILTERED";
                        /** @description HTML with `{{ variable }}` placeholders. Required without `design` and `templateId`. */
                        body?: string;
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /** @enum {boolean} */
                        draft?: false;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        /** @description Required without `templateId`. The domain must be verified. */
                        from?: string;
                        fromName?: string | null;
                        name?: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        /** @description Required if `audienceType` is SEGMENT. Ignored otherwise. */
                        segmentId?: string | null;
                        /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
                        sendWindow?: components["schemas"]["SendWindowInput"] | null;
                        /** @description Required without `templateId`. */
                        subject?: string;
                        /** @description A template that provides the missing fields among subject, body, from, fromName, replyTo, and type. */
                        templateId?: string | null;
                        /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
                        test?: {
                            /**
                             * @description Hours from the last email of the test until the decision, if it is automatic.
                             * @default 4
                             */
                            after?: number;
                            /**
                             * @default auto
                             * @enum {string}
                             */
                            decide?: "auto" | "manual";
                            /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                            ifTied?: string;
                            /**
                             * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                             * @example clicks
                             */
                            metric: string;
                            /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                            share: number;
                        } | null;
                        /**
                         * @description Default: the template's type, or MARKETING without a template.
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                        /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
                        variants?: {
                            /** @description HTML. Replaces the body or the design of the campaign. */
                            body?: string;
                            /** @description The domain must be verified. */
                            from?: string;
                            fromName?: string;
                            /**
                             * @description Your name for it.
                             * @example a
                             */
                            id: string;
                            preheader?: string;
                            subject?: string;
                            /** @description Its share of the test, in percent. The weights add up to 100. */
                            weight: number;
                        }[] | null;
                    } | {
                        /** @description Required if `audienceType` is FILTERED. Ignored otherwise. */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        audienceType?: ("ALL" | "SEGMENT" | "FILTERED") | null;
                        body?: string | null;
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /**
                         * @description Saves without the checks of the required fields, the syntax, and the sender domain.
                         * @enum {boolean}
                         */
                        draft: true;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        from?: string | null;
                        fromName?: string | null;
                        name?: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        /** @description Required if `audienceType` is SEGMENT. Ignored otherwise. */
                        segmentId?: string | null;
                        /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
                        sendWindow?: components["schemas"]["SendWindowInput"] | null;
                        subject?: string | null;
                        /** @description A template that provides the missing fields among subject, body, from, fromName, replyTo, and type. */
                        templateId?: string | null;
                        /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
                        test?: {
                            /**
                             * @description Hours from the last email of the test until the decision, if it is automatic.
                             * @default 4
                             */
                            after?: number;
                            /**
                             * @default auto
                             * @enum {string}
                             */
                            decide?: "auto" | "manual";
                            /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                            ifTied?: string;
                            /**
                             * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                             * @example clicks
                             */
                            metric: string;
                            /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                            share: number;
                        } | null;
                        /**
                         * @description Default: the template's type, or MARKETING without a template.
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                        /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
                        variants?: {
                            /** @description HTML. Replaces the body or the design of the campaign. */
                            body?: string;
                            /** @description The domain must be verified. */
                            from?: string;
                            fromName?: string;
                            /**
                             * @description Your name for it.
                             * @example a
                             */
                            id: string;
                            preheader?: string;
                            subject?: string;
                            /** @description Its share of the test, in percent. The weights add up to 100. */
                            weight: number;
                        }[] | null;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Campaign"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/campaigns/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a campaign
         * @description Allowed in SCHEDULED and SENDING (409 otherwise). Emails that no mail server has received yet are never sent. Returns the campaign with the status CANCELLED.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Campaign"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a campaign
         * @description Creates a draft with the same content and audience, named "… (copy)".
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Campaign"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List why emails of a campaign failed
         * @description Groups the FAILED emails by reply of the mail server, most frequent first, at most 100 groups. Emails with an unknown outcome are a group of their own. Emails that bounced after they were accepted are not FAILED.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CampaignFailures"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clicked links of a campaign
         * @description Most people first, at most 500 links. Links with the same URL and different labels are listed separately. Links without clicks are not listed.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CampaignLinks"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a campaign's recipients
         * @description Returns the recipients of the snapshot in its order. Before sending starts, the list is empty. `status` selects the recipients whose email has exactly this status now: a recipient who clicked is CLICKED and no longer OPENED. `did` selects all recipients of a figure: `opened` those who opened the email, clicked or not. A recipient must match all filters. If filters are combined, or with `search`, `total` is at most 10000. A malformed UUID in the path returns 422. An unknown campaign and a campaign of another project return 404.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    /** @description `not_opened` and `not_clicked` are recipients to whom the email was sent. `failed` excludes emails whose outcome is `unknown`. */
                    did?: "opened" | "clicked" | "not_opened" | "not_clicked" | "bounced" | "complained" | "failed" | "unknown" | "unsubscribed" | "cancelled";
                    limit?: number;
                    /** @description A part of the address, case-insensitive. */
                    search?: string;
                    status?: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
                    /** @description Recipients who clicked a link to this URL. */
                    url?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["CampaignRecipient"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/retry-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send failed emails again
         * @description Sends the FAILED emails of a SENT campaign again (409 in other statuses). The campaign is SENDING until they are final. Without `includeAmbiguous`, no recipient gets a second email. With it, emails whose outcome a crash hid (`unknownCount`) are also sent, so a recipient may get a second email with the same Message-ID. Contacts that unsubscribed in the meantime get none.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Whether emails with an unknown outcome are also sent again.
                         * @default false
                         */
                        includeAmbiguous?: boolean;
                    };
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The number of emails to send again. */
                            retried: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send or schedule a campaign
         * @description Allowed in DRAFT and SCHEDULED (409 otherwise); a new date replaces the old one. MARKETING and HEADLESS reach the subscribed contacts whose address is not suppressed, TRANSACTIONAL reaches all contacts. The audience is a snapshot that is taken when sending starts. Returns 422 with TEST_TOO_SMALL for variants with fewer than 100 recipients each. Returns 400 if a campaign that is sent now has no recipients, 403 if the sender domain is no longer verified, and 422 with the list of problems for a draft with errors. A draft without errors is sent, and is not a draft afterwards.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description For recipients without a known time zone. Default: the project's. Only with `timezone: recipient`. */
                        fallbackTimezone?: string;
                        /** @description Tests variants also with fewer than 100 recipients each. */
                        force?: boolean;
                        /** @description Hours. Emails that are still unsent this long after their local time fail with `LATE`. Default: 6. Only with `timezone: recipient`. */
                        maxLateness?: number;
                        /**
                         * @description What becomes of recipients whose local time has passed when sending begins: on the next day at this time (`next_day`, default), now, or no email. Only with `timezone: recipient`.
                         * @enum {string}
                         */
                        past?: "next_day" | "now" | "skip";
                        /** @description The time to send. Missing or null means now. Any date that JavaScript's `Date` parses, in UTC if it has no zone. An invalid date or a date in the past returns 400. With `timezone`, a local time such as `2030-01-31T09:00`. */
                        scheduledFor?: string | null;
                        /** @description The time zone of `scheduledFor`: an IANA name, or `recipient` for that of each recipient (the field `timezone` of the contact). An offset in `scheduledFor` then returns 422. */
                        timezone?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                id: string;
                                name: string;
                                scheduledFor: string | null;
                                /** @enum {string} */
                                status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
                            };
                            message: string;
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the results of a campaign
         * @description Returns the counters of the campaign, and rates.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CampaignStats"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test email
         * @description Allowed in every status. Sends the content of the campaign, or of one of its variants. The subject is prefixed with `[TEST] `, and the content uses the data of the contact `contactId`, or else of the contact with that address, if there is one. Test emails are counted nowhere. A draft whose content has errors returns 422 with the list of problems. `id` is the email's id for `GET /emails/:id`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The contact whose data is shown. Default: the contact with the address, if there is one. */
                        contactId?: string;
                        email: string;
                        /** @description The id of a variant. Default: the content of the campaign. */
                        variant?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            email: string;
                            id: string;
                            /** @enum {string} */
                            status: "PENDING";
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the figures of a campaign over time
         * @description From the first to the last figure, oldest first, with zeros. An email counts once per column, when it was sent, first opened by a person, and so on. Empty before sending begins. Covers at most 2880 minutes, 2928 hours, or 3653 days.
         */
        get: {
            parameters: {
                query?: {
                    interval?: "minute" | "hour" | "day";
                    /** @description A name of the IANA time zone database, such as `Europe/Berlin`. */
                    timezone?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CampaignPoint"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/waves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the waves of a campaign
         * @description A campaign that was scheduled with `timezone: recipient` is sent in waves: to the recipients whose local time is the chosen one. In the order of their moments. Before sending begins, a forecast for the audience as it is now. Empty for other campaigns.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CampaignWaves"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/{id}/winner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose the winner of a test
         * @description The rest of the audience then gets this variant. Allowed while the campaign is SENDING, once for each test. Returns 409 with the `status` and the `decision` before the snapshot is complete, after the decision, and without a test. Of a manual and an automatic decision at the same time, one counts.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Its id. */
                        variant: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["VariantDecision"];
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview an audience
         * @description Counts under the rules of sending, and sends nothing: MARKETING and HEADLESS reach the subscribed contacts whose address is not suppressed, TRANSACTIONAL reaches all contacts.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Required if `audienceType` is FILTERED. Ignored otherwise. */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        /** @enum {string} */
                        audienceType: "ALL" | "SEGMENT" | "FILTERED";
                        /** @description Required if `audienceType` is SEGMENT. Ignored otherwise. */
                        segmentId?: string | null;
                        /**
                         * @default MARKETING
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AudiencePreview"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the configuration
         * @description What this installation offers, its limits, and its pages. Requires no credential.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Configuration"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List contacts
         * @description Snoozed contacts are not subscribed, so `status=unsubscribed` and `subscribed=false` include them. A cursor is bound to its `sort` and stays valid when contacts are added or deleted. It is null on the last page.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    dir?: "asc" | "desc";
                    limit?: number;
                    /** @description Part of the address. Case-insensitive. */
                    search?: string;
                    sort?: "createdAt" | "email";
                    status?: "subscribed" | "unsubscribed" | "snoozed";
                    subscribed?: "true" | "false";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Contact"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Create or update a contact
         * @description Returns 201 for a new contact and 200 for an existing one. Without `subscribed`, a new contact is subscribed and an existing one stays unchanged. `data` is merged into the stored data: `null` removes a field, an empty string is ignored, and `{ value, persistent: true }` stores its value. `{ value, persistent: false }` is meant for sends and events and stores nothing. Reserved keys are dropped. A contact has at most 100 keys and 64 KiB of data.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        data?: {
                            [key: string]: unknown;
                        };
                        email: string;
                        subscribed?: boolean;
                        /** @description An IANA time zone, such as `Europe/Berlin`. null removes it. */
                        timezone?: string | null;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UpsertedContact"];
                    };
                };
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UpsertedContact"];
                    };
                };
                /** @description The field `email` is missing, or the body is not valid JSON. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FlatError"] | components["schemas"]["Error"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a contact */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Contact"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a contact permanently
         * @description Also deletes its events, segment memberships, and workflow executions. Unsent marketing and headless emails are canceled. Transactional emails are still sent, and sent emails stay in the log.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update a contact
         * @description Changes only the given fields. A changed `subscribed` records the event `contact.subscribed` or `contact.unsubscribed`, and any `subscribed` ends a snooze. A future `snoozedUntil` unsubscribes the contact until then; null ends the snooze and leaves `subscribed` as it is. Returns 409 if another contact has the address. `data` is merged into the stored data: `null` removes a field, an empty string is ignored, and `{ value, persistent: true }` stores its value. `{ value, persistent: false }` is meant for sends and events and stores nothing. Reserved keys are dropped. A contact has at most 100 keys and 64 KiB of data.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        data?: {
                            [key: string]: unknown;
                        };
                        email?: string;
                        snoozedUntil?: string | null;
                        subscribed?: boolean;
                        /** @description An IANA time zone, such as `Europe/Berlin`. null removes it. */
                        timezone?: string | null;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Contact"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/contacts/{id}/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a contact's emails
         * @description Newest first, like `GET /emails` with the filter `contactId`.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["LoggedEmail"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a contact's workflow executions
         * @description Newest first, of all workflows.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["ContactExecution"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change many contacts
         * @description Queues a job that changes the given contacts, or those of a query; poll `GET /jobs/:id` for its progress. The contacts of a query are fixed when the job begins: contacts that match later are not changed, and contacts that no longer match are. Ids that match no contact are failures.
         *
         *     `subscribe` and `unsubscribe` end snoozes and record events for changed contacts, `delete` follows `DELETE /contacts/:id`, `set` merges `data` into the data of each contact, and `suppress` suppresses the address of each contact with the reason `manual`. Contacts that already are as requested count as skipped. `DELETE /jobs/:id` cancels the job; its `result` then has exactly the changes that were made.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BulkChangeInput"];
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            jobId: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/bulk-delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete up to 1,000 contacts permanently
         * @description The rules of `DELETE /contacts/:id` apply. Ids of other projects count as failures. Queues a job; poll `GET /contacts/bulk/:jobId` for its state.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        contactIds: string[];
                    };
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AcceptedJob"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/bulk-subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Subscribe up to 1,000 contacts
         * @description Each contact that was not subscribed gets the event `contact.subscribed`. Ends a snooze. Ids of other projects count as failures. Queues a job; poll `GET /contacts/bulk/:jobId` for its state.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        contactIds: string[];
                    };
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AcceptedJob"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/bulk-unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unsubscribe up to 1,000 contacts
         * @description Each contact that was subscribed gets the event `contact.unsubscribed`. Ends a snooze. Ids of other projects count as failures. Queues a job; poll `GET /contacts/bulk/:jobId` for its state.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        contactIds: string[];
                    };
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AcceptedJob"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/bulk/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a bulk job */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    jobId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BulkJob"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List contact fields
         * @description Returns the standard fields and every key in the data of any contact, sorted by name. In projects with 200,000 contacts or more, the result can be older than a minute, and the first one is from a sample.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            count: number;
                            fields: {
                                /** @description The percentage of contacts that have the field. */
                                coverage: number;
                                /**
                                 * @example email
                                 * @example data.plan
                                 */
                                field: string;
                                /**
                                 * @description The type of most values. A date is a string with an ISO 8601 date or timestamp.
                                 * @enum {string}
                                 */
                                type: "string" | "number" | "boolean" | "date";
                            }[];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/fields/{field}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a field from every contact
         * @description Returns 409 while the field is in use, and 400 for a standard field. The field is deleted in batches of several thousand contacts. If a call is interrupted, repeat it to continue.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The field, with or without the prefix `data.`. */
                    field: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deletedFrom: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/fields/{field}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a field of every contact
         * @description Returns 409 while a segment, an open campaign, or a workflow uses the field, and 400 for a standard field. Contacts that also have a field with the new name stay as they are: `notRenamedIn` counts them. Templates are not changed. The field is renamed in batches of several thousand contacts. If a call is interrupted, repeat it to continue.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The field, with or without the prefix `data.`. */
                    field: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description The new name, with or without the prefix `data.`.
                         * @example tier
                         */
                        to: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            notRenamedIn: number;
                            renamedIn: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/fields/{field}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the usage of a field
         * @description Covers the conditions of segments and campaigns, and workflow steps. Standard fields cannot be deleted.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The field, with or without the prefix `data.`. */
                    field: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ContactFieldUsage"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/fields/{field}/values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the values of a field
         * @description Returns distinct values, the most frequent first. `count` is the number of values in the response. In projects with 200,000 contacts or more, the result can be older than a minute, and the first one is from a sample.
         */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The field, with or without the prefix `data.`. */
                    field: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            count: number;
                            field: string;
                            limit: number;
                            values: unknown[];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import contacts from a CSV file
         * @description Send a form (`multipart/form-data`) with the file in the part `file`: at most 5 MB (413 otherwise; the operator can raise it with `IMPORT_MAX_MB`), UTF-8, commas, and a header line. The column `email` is required. The column `subscribed` accepts true, 1, yes, false, 0, and no, and `timezone` names of time zones: others are left out, and the job counts them. Every other column becomes data: `true` and `false` become booleans, plain decimal numbers become numbers (except with a leading zero, a plus sign, or more than 15 digits), and all other values are strings. Spaces around a cell are removed, and an empty cell counts as not given.
         *
         *     A new contact is subscribed unless its row sets the subscription. An existing contact keeps its subscription unless its row sets it. If an address occurs more than once, the last row wins. Invalid rows are reported with their line and reason. A file that cannot be read (binary content, another encoding, no `email` column) returns 422. Queues a job; poll `GET /contacts/import/:jobId` for its state. `GET /jobs/:id/errors.csv` returns the rejected rows with their reasons; correct them and import that file.
         *
         *     The fields of the form are optional. With a `mapping`, an apostrophe before `=`, `+`, `-`, or `@` at the beginning of a cell is removed: exports have it, so that spreadsheets do not evaluate the cell.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "multipart/form-data": components["schemas"]["ImportFormInput"];
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AcceptedJob"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/import/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve an import */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    jobId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImportJob"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up contacts by address
         * @description Accepts up to 500 addresses. The response has each address once, normalized (lowercase, the domain in ASCII) and in the order of the request. Malformed addresses are in `notFound`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        emails: string[];
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            found: string[];
                            notFound: string[];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a condition
         * @description Counts the contacts that match a condition, and those that match each of its filters, now. For an editor of conditions: filters that lack a field, an operator, a value, or a unit are ignored and listed in `incomplete`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description A condition as in `POST /contacts/query`, whose filters can be incomplete. */
                        condition: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ContactPreview"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query contacts
         * @description Returns a page of the contacts that match all given parts of the query; an empty query matches all contacts. A page begins after a `cursor` or at a `position`. Pages after cursors neither repeat nor omit contacts that do not change.
         *
         *     In projects with 200,000 contacts or more, the contacts of a query are counted when it is first read. Until then, `total` can be null: repeat the request to get it. `total` and the pages at a `position` are based on a count that is at most a minute old. Pages omit contacts that no longer match.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ContactQueryInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QueriedContacts"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a sender domain
         * @description Returns the DNS records to publish, including a DKIM key for this domain, and checks them once. They are then checked every 5 minutes until the domain is verified, and daily after that. A verified domain whose DKIM record is missing for 72 hours becomes pending again. Returns 409 if the domain is already in this project or verified in another one. Sessions require the role OWNER or ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description At least two labels of letters, digits, and inner hyphens. Other scripts are converted to ASCII. Email addresses, URLs, wildcards, and IP addresses are rejected.
                         * @example mail.example.com
                         */
                        domain: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Domain"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a domain */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Domain"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a domain
         * @description Returns 409 while templates, workflow steps (through their template), or unsent campaigns use the domain; `details` lists the first 20 of each. Sessions require the role OWNER or ADMIN.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check a domain now
         * @description Queries the DNS and returns the domain with its new status. If the DNS does not respond, the domain stays unchanged, including `lastCheckedAt`. GET and POST do the same.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Domain"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Check a domain now
         * @description Queries the DNS and returns the domain with its new status. If the DNS does not respond, the domain stays unchanged, including `lastCheckedAt`. GET and POST do the same.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Domain"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/{id}/zone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the DNS records of a domain
         * @description A zone file in the format of BIND, which most DNS providers import.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The zone file. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/dns": string;
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/domains/project/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains of a project
         * @description Returns verified and pending domains, newest first. A key must belong to the project in the path. A session needs no `X-Project-Id` here.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    projectId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Domain"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List emails
         * @description Newest first, of all sources. An email must match all filters. Ids of other projects match nothing. `total` is at most 10000.
         */
        get: {
            parameters: {
                query?: {
                    campaignId?: string;
                    contactId?: string;
                    cursor?: string;
                    /** @description A name of yours for emails that you may cancel together. */
                    group?: string;
                    limit?: number;
                    /** @description Created at this ISO 8601 date or timestamp, or later. */
                    since?: string;
                    source?: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST" | "PLATFORM";
                    status?: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
                    tag?: string;
                    /** @description Emails of campaigns have no template. */
                    templateId?: string;
                    /** @description The complete address. */
                    to?: string;
                    type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    /** @description Created at this ISO 8601 timestamp or earlier, or until the end of this UTC day. */
                    until?: string;
                    workflowId?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["LoggedEmail"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve an email */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Email"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Move a scheduled email
         * @description Also moves its copies (`cc` and `bcc`). Returns 409 with the status of the email if it is no longer scheduled.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description When it is sent, with an offset from UTC, or as a local time with `timezone`; at most 90 days ahead. A time of the last minute is now. */
                        scheduledFor: string;
                        /** @description The IANA time zone of `scheduledFor`, such as `Europe/Berlin`. A time that a change of clocks skips is moved forward; of a time that exists twice, the second counts. */
                        timezone?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Email"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/emails/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an email
         * @description Cancels an email that is scheduled or waits to be sent. It is then never sent. An email that was canceled before is returned as it is; one that is being sent or has ended returns 409 with its status. Its copies (`cc` and `bcc`) are canceled with it. Emails of campaigns are canceled with their campaign.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Email"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the content of an email
         * @description Renders the email for its recipient, without tracking, so that showing it records nothing. Links to unsubscribe are those of the recipient. Returns 404 if retention has deleted the content, and 409 if it cannot be rendered.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EmailContent"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts and hits of an email
         * @description Attempts to hand the email over, and the first 1000 opens and clicks, oldest first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EmailEvents"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/emails/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a group of emails
         * @description Cancels all emails of the `group` of `POST /v1/send` that are scheduled or wait to be sent.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description A name of yours for emails that you may cancel together. */
                        group: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The number of canceled emails. */
                            count: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Tracked events and events that the service records, newest first. A cursor stays valid when events are added or deleted. It is null on the last page.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    eventName?: string;
                    /** @description Adds `contactEmail` to each event. */
                    include?: "contact";
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Event"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{eventName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete all events of a name
         * @description The name is URL-encoded. Returns 409 for a reserved name, and for a name that a segment, campaign, or workflow uses (listed in `details`). Events that are tracked during the deletion may stay.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    eventName: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deletedCount: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{eventName}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the usage of an event
         * @description The name is URL-encoded. An unknown name returns zeros.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    eventName: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventUsage"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/contact/{contactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a contact's events
         * @description Newest first.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    contactId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Event"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/contact/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the usage of the event named `contact` */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventUsage"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count events by name and day
         * @description UTC days up to today, oldest first. Names without events on these days are left out.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The number of days. At most 365. */
                    days?: number;
                    /** @description The most frequent names of these days are returned. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventDays"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List event names
         * @description Includes the names of events that the service records. In alphabetical order, at most 10,000.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            eventNames: string[];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count events by name
         * @description Most frequent first, of all time or between `startDate` and `endDate`. At most 10,000 names.
         */
        get: {
            parameters: {
                query?: {
                    /** @description An ISO 8601 date or timestamp. A date is the end of that UTC day. */
                    endDate?: string;
                    /** @description An ISO 8601 date or timestamp, not after `endDate`. A date is the start of that UTC day. */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            count: number;
                            name: string;
                        }[];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Track an event
         * @description `POST /v1/track` for the dashboard and for servers. Records the event and creates or updates the contact of the address, both or neither. `event` has 1 to 255 characters. `email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.<slug>.entry`, `segment.<slug>.exit`, and other types of webhooks (`GET /webhooks/types`) return 422 with the code `reserved_event`. Without `subscribed`, a new contact is subscribed and an existing one stays unchanged. `data` is merged into the contact under the rules of `POST /contacts`; `{ value, persistent: false }` is stored only with the event. With the header `Idempotency-Key`, a repeat returns 409 with the original response in its details.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Printable ASCII characters. A repeated request with the same key within 24 hours returns 409 `IDEMPOTENCY_KEY_REUSED`, with the first response in `error.details`. Requests with the public key have keys of their own. */
                    "Idempotency-Key"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        data?: {
                            [key: string]: unknown;
                        };
                        email: string;
                        event: string;
                        subscribed?: boolean;
                        /** @description The IANA time zone of the contact, for example what `Intl` reports. An unknown one is ignored. */
                        timezone?: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrackedEvent"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export contacts, recipients, events, or suppressions
         * @description Queues a job; poll `GET /jobs/:id` until its `result` has the `url` of the file. The URL is signed, requires no key, and is valid for 24 hours. The set of rows is fixed when the job begins: each row is exported once, as it is when it is read, and rows that are created later are left out. A project can have 5 exports that have not ended (409 otherwise).
         *
         *     CSV is UTF-8 with commas. An apostrophe precedes cells that begin with `=`, `+`, `-`, or `@`, except numbers, so that spreadsheets do not evaluate them. Contacts have a column for each key of their data, up to 200; all other values are in the column `data` as JSON. `result.mapping` imports the file without a change. JSON is one array of objects as the API returns them.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ExportBodyInput"];
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AcceptedJob"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an export
         * @description The target of `url` of an export. Requires no key. Returns 404 after 24 hours.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Blob;
                        "text/csv": Blob;
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process runs */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {string} */
                            status: "ok";
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is ready
         * @description Checks the database and Temporal. 503 lists the unavailable ones; a stopping process also returns 503. Without Temporal, the API still accepts requests and carries them out when Temporal is back.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {string} */
                            database: "ok";
                            /** @enum {string} */
                            status: "ok";
                            /** @enum {string} */
                            temporal: "ok";
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Imports, bulk operations, exports, and replays of webhooks of the project, newest first. `total` is the number of jobs with the given `kind` and `state`.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    kind?: "import" | "bulk" | "export" | "replay";
                    limit?: number;
                    state?: "waiting" | "active" | "completed" | "failed" | "cancelled";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Job"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a job */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Job"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description Stops a waiting or active job after the chunk in progress. Changes that the job has made stay, and `result` reports them exactly. Returns the canceled job, or 409 if the job has ended. The job stays in the list.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Job"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/errors.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the errors of a job
         * @description A CSV file with one row per error. The column `sendloom_error` is the reason. The rows of an import have their original columns and delimiter, so that they can be corrected and imported again with the same options: imports ignore the column `sendloom_error`. Cells are as in the imported file, so a cell can begin with `=`. While the job runs, the file contains the errors so far. The rejected rows are kept for 30 days; after that, the file has only the addresses and reasons of the first 1,000 errors.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The errors. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv": string;
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manage/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the preferences
         * @description Shows the current state and a button for each other state.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /**
         * Change the preferences
         * @description The form field `action` is subscribe, unsubscribe, snooze-30, snooze-60, or snooze-90 (days). Any other value changes nothing.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/o/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open pixel of a tracked email
         * @description Records that the email was opened. The token ends with `.gif`. An invalid token returns 404.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A transparent GIF of one pixel. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/gif": Blob;
                    };
                };
                /** @description The token is not valid. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a project
         * @description Available to all members. In the order in which they joined, the owner first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Member"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Add a member
         * @description Requires the role OWNER or ADMIN. Returns 404 `USER_NOT_FOUND` for an address without an account, and 409 `CONFLICT` for a member. A project has one owner, who cannot be replaced.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        /**
                         * @default MEMBER
                         * @enum {string}
                         */
                        role?: "ADMIN" | "MEMBER";
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Member"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{id}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Requires the role OWNER or ADMIN. The owner cannot be removed, and no one can remove themselves (403 `FORBIDDEN`). Returns 404 `USER_NOT_FOUND` for a user who is not a member.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    userId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Removed. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change a member's role
         * @description Requires the role OWNER or ADMIN. The role of the owner cannot be changed (403 `FORBIDDEN`). Returns 404 `USER_NOT_FOUND` for a user who is not a member.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    userId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        role: "ADMIN" | "MEMBER";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Member"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/projects/{id}/security": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a project's reputation
         * @description Available to all members (404 for non-members). A level is `warning` or `critical` from these rates upward: bounces 5% or 10% over 7 days, 4% or 8% all time; complaints 0.075% or 0.15% over 7 days, 0.03% or 0.12% all time. A rate counts from 100 emails upward, and a level needs at least 5 bounces or 3 complaints (critical: 10 or 5). Only permanent bounces count.
         *
         *     A critical project is disabled within seconds: running campaigns and executions are canceled, queued emails are not sent, and requests that change something return 403 `PROJECT_DISABLED`. `PATCH /users/@me/projects/:id` with `{ "disabled": false }` enables the project again; its levels stay as they are.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Security"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{id}/setup-state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the setup state of a project
         * @description Available to all members.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SetupState"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream live updates
         * @description Server-sent events. A session needs no `X-Project-Id` here, so the `EventSource` of browsers can open it.
         *
         *     Topics: `activity` (entries of `GET /activity`), `campaigns` (progress of campaigns that are scheduled or sending, at most one message per campaign and second, and a final one), `jobs` (as `GET /jobs/:id`), `domains`, `reputation` (as `GET /projects/:id/security`), and `workflow:<id>` (executions at each step). All topics except `activity` first send their current state, including campaigns and jobs that ended in the last 10 minutes, and then what changes.
         *
         *     A change is sent within 1.5 s of its commit. The id of an activity message is a cursor: with `Last-Event-ID`, the stream continues after it, and no entry is missing or repeated. If more than 100 emails of campaigns were sent since the previous message, one entry stands for all of them: its `metadata.summary` is `{ count, from, until }`. A client that reads too slowly is disconnected and can resume.
         *
         *     A comment is sent every 15 s. Each user may have 6 and each project 50 open streams (429 with `Retry-After`). A stopping process ends its streams first; `retry` is 2,000 ms.
         */
        get: {
            parameters: {
                query: {
                    /** @description Up to 20 topics, separated by commas. */
                    topics: string | string[];
                };
                header?: {
                    /** @description The id of the last activity message that was received. */
                    "last-event-id"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The stream. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": components["schemas"]["StreamMessage"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a content
         * @description Returns a content as it would be sent, and its problems. Nothing is written or sent. A template that does not parse is a problem with its line and column, and not an error. Problems with the level `error` (`template_syntax`, `missing_subject`, `missing_body`, `missing_sender`, `unverified_sender`) prevent sending. The others are `unknown_variable` (neither a contact of a sample nor `data` has it), `no_unsubscribe_link` (HEADLESS), `missing_postal_address` (MARKETING), `image_without_alt`, `insecure_link`, `empty_link`, and `clipped` (over 102 KB as it is sent, where Gmail clips); at most 20 of each. Links to the pages of a contact lead to the home page, so that a preview cannot unsubscribe anyone. An unknown contact returns 404.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description HTML with `{{ variable }}` placeholders. Ignored with a `design`. */
                        body?: string | null;
                        /** @description The contact whose data is printed. */
                        contactId?: string;
                        /** @description Values that are printed, as in `POST /v1/send`. They override the data of the contact and are not stored. */
                        data?: {
                            [key: string]: unknown;
                        };
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /** @description The address of the sender. Its form and its domain are checked. */
                        from?: string | null;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        /** @description A template. A missing subject is a problem and not an error. */
                        subject?: string | null;
                        /**
                         * @description MARKETING adds the unsubscribe footer.
                         * @default MARKETING
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Rendering"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/saved-blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved blocks
         * @description Returns all of them by name.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["SavedBlock"][];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Save blocks
         * @description Saves blocks of a design under a name, to insert copies of them into other designs. Returns 409 if the name exists, or if the project has 200 saved blocks.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description The limits of a design hold. An error names its place, such as `blocks.0.columns.0.1.src`.
                         * @example [
                         *       {
                         *         "id": "signature",
                         *         "type": "text",
                         *         "content": [
                         *           {
                         *             "type": "text",
                         *             "text": "Your team at Shop"
                         *           }
                         *         ]
                         *       }
                         *     ]
                         */
                        blocks: components["schemas"]["DesignBlockInput"][];
                        /** @description Unique in the project. */
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SavedBlock"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/saved-blocks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete saved blocks
         * @description Designs that have copies stay the same.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update saved blocks
         * @description Changes only the given fields. Designs that have copies stay the same.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description The limits of a design hold. An error names its place, such as `blocks.0.columns.0.1.src`.
                         * @example [
                         *       {
                         *         "id": "signature",
                         *         "type": "text",
                         *         "content": [
                         *           {
                         *             "type": "text",
                         *             "text": "Your team at Shop"
                         *           }
                         *         ]
                         *       }
                         *     ]
                         */
                        blocks?: components["schemas"]["DesignBlockInput"][];
                        /** @description Unique in the project. */
                        name?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SavedBlock"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search a project
         * @description Finds contacts by the start of their address, campaigns, templates, segments, workflows, and domains by any part of their name or subtitle, and each of these and emails by their id.
         *
         *     Ids and whole titles come first, then titles that begin with `q`, then the others; of equals, the newest, and contacts by address. Each kind gets a fair share of `limit` (20 by default, at most 100). A missing or empty `q`, and one of more than 255 characters, returns 422. To find contacts by any part of their address, use `POST /contacts/query`.
         */
        get: {
            parameters: {
                query: {
                    limit?: number;
                    /** @description The text, regardless of upper and lower case. */
                    q: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["SearchHit"][];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List segments
         * @description Returns all segments, newest first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Segment"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a segment
         * @description A dynamic segment requires a condition. An invalid condition returns 422 with the path of each error, such as `condition.groups.0.filters.1.operator`. A referenced segment must exist in the project, and references must not form a cycle (400).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Required for DYNAMIC, ignored for STATIC. */
                        condition?: components["schemas"]["ConditionTreeInput"] | null;
                        description?: string | null;
                        name: string;
                        /**
                         * @description Whether entries and exits record events. A dynamic segment follows changes within about 10 seconds, and a full computation every 5 minutes covers time-dependent conditions. A static segment records events immediately.
                         * @default false
                         */
                        trackMembership?: boolean;
                        /**
                         * @default DYNAMIC
                         * @enum {string}
                         */
                        type?: "DYNAMIC" | "STATIC";
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Segment"];
                    };
                };
                /** @description A dynamic segment has no condition object, or the body is not valid JSON. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FlatError"] | components["schemas"]["Error"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a segment */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Segment"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a segment
         * @description Returns 409 while a SCHEDULED or SENDING campaign, the condition of another segment, or a CONDITION step of a workflow uses the segment. Draft campaigns lose their reference. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update a segment
         * @description Changes only the given fields. `type` and `slug` are fixed. An invalid condition returns 422 with the path of each error, such as `condition.groups.0.filters.1.operator`. A referenced segment must exist in the project, and references must not form a cycle (400). After a condition change, the next compute records the entries and exits of a tracked segment. A segment that is no longer tracked loses its stored members. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Ignored for a static segment. Null returns 422 for a dynamic segment. */
                        condition?: components["schemas"]["ConditionTreeInput"] | null;
                        description?: string | null;
                        name?: string;
                        /** @description Whether entries and exits record events. A dynamic segment follows changes within about 10 seconds, and a full computation every 5 minutes covers time-dependent conditions. A static segment records events immediately. */
                        trackMembership?: boolean;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Segment"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/segments/{id}/compute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compute a tracked dynamic segment
         * @description Updates the stored members and records one event `segment.<slug>.entry` or `segment.<slug>.exit` per change. A segment that is static or not tracked returns 400.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            added: number;
                            removed: number;
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the contacts of a segment
         * @description Newest first. The contacts of a dynamic segment are current. In projects with 200,000 contacts or more, the total and most pages come from a stored count and list, which reading refreshes in the background. All returned contacts still match the condition.
         */
        get: {
            parameters: {
                query?: {
                    page?: number;
                    pageSize?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Contact"][];
                            page: number;
                            pageSize: number;
                            total: number;
                            totalPages: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a contact is in a segment
         * @description Evaluates each filter of the condition for a contact, now. `groups` and `conditions` have the order of the condition. A static segment has no groups: `matches` is whether the contact is a member.
         */
        get: {
            parameters: {
                query: {
                    contactId: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ExplainedCondition"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add members to a static segment
         * @description A dynamic segment returns 400.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Whether to create contacts for unknown addresses.
                         * @default false
                         */
                        createMissing?: boolean;
                        emails: string[];
                        /**
                         * @description The subscription of created contacts. Existing contacts stay unchanged.
                         * @default true
                         */
                        subscribed?: boolean;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Contacts that were not members before, including created contacts. */
                            added: number;
                            created: number;
                            /** @description Addresses without a contact. */
                            notFound: string[];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        /**
         * Remove members from a static segment
         * @description A dynamic segment returns 400. Addresses that are not members are ignored.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        emails: string[];
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            removed: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/segments/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recount a segment
         * @description Updates `memberCount`. Records no events and stores no memberships.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            memberCount: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Confirm a subscription
         * @description Changes nothing.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /**
         * Subscribe
         * @description Called by the button of the page.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressed addresses
         * @description Beyond the specification. Newest first. A suppressed address gets no MARKETING or HEADLESS email, independent of the `subscribed` of its contact, and even if the contact is deleted and created again. Permanent bounces and complaints suppress an address and unsubscribe its contact. TRANSACTIONAL email is still sent.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    reason?: "complaint" | "bounce" | "manual";
                    /** @description Part of the address. Case-insensitive. */
                    search?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Suppression"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Suppress an address
         * @description Beyond the specification. The address need not belong to a contact, and its contact stays unchanged. Returns 201 for a new suppression. Returns 200 if the address is already suppressed; the suppression then stays unchanged unless the new reason is stronger (complaint over bounce over manual).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Your explanation. */
                        detail?: string | null;
                        email: string;
                        /**
                         * @description Use a reason other than `manual` to import a list from another service.
                         * @default manual
                         * @enum {string}
                         */
                        reason?: "complaint" | "bounce" | "manual";
                    };
                };
            };
            responses: {
                /** @description The address was already suppressed. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Suppression"];
                    };
                };
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Suppression"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suppressions/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a suppression
         * @description Beyond the specification. Returns 404 `SUPPRESSION_NOT_FOUND` if the address is not suppressed.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The address, URL-encoded. */
                    email: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Suppression"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a suppression
         * @description Beyond the specification. Does not subscribe the contact. A recipient who subscribes on the page of a link in an email to that address also deletes a bounce or complaint suppression.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The address, URL-encoded. */
                    email: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * @description `search` matches part of the name, description, or subject. Case-insensitive. `draft` selects drafts, or the other templates. An unrecognized `type` returns 422.
         */
        get: {
            parameters: {
                query?: {
                    dir?: "asc" | "desc";
                    draft?: "true" | "false";
                    page?: number;
                    pageSize?: number;
                    search?: string;
                    sort?: "createdAt" | "name" | "updatedAt";
                    type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Template"][];
                            page: number;
                            pageSize: number;
                            total: number;
                            totalPages: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a template
         * @description The subject and body must be valid templates; a syntax error returns 422 with its line and column. Returns 403 if the domain of `from` is not verified. With `draft: true`, only `name` is required, and syntax errors and unverified domains are listed in `problems`. A draft with errors cannot be used. With a `design`, the server writes the `body`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description HTML with `{{ variable }}` placeholders. */
                        body?: string;
                        /** @description For internal use. Recipients never see it. */
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /** @enum {boolean} */
                        draft?: false;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        /** @description The domain must be verified. */
                        from: string;
                        fromName?: string | null;
                        /** @description For internal use. Recipients never see it. */
                        name: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        subject: string;
                        /**
                         * @default MARKETING
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    } | {
                        body?: string | null;
                        /** @description For internal use. Recipients never see it. */
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /**
                         * @description Saves without the checks of the required fields, the syntax, and the sender domain.
                         * @enum {boolean}
                         */
                        draft: true;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        from?: string | null;
                        fromName?: string | null;
                        /** @description For internal use. Recipients never see it. */
                        name: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        subject?: string | null;
                        /**
                         * @default MARKETING
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"];
                    };
                };
                /** @description The field `from` is missing, or the body is not valid JSON. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FlatError"] | components["schemas"]["Error"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a template */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a template
         * @description Returns 409 while a workflow step uses the template. Campaigns that were created from it keep their content. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update a template
         * @description Changes only the given fields, under the rules of creation. Null clears an optional field. Emails that were accepted before keep their content. With `draft: true`, the rules of drafts apply. A draft stays one until `draft: false`, which returns 422 or 403 if it is not complete. A `design` makes the editor `blocks`. A changed `body` alone makes it `html` and drops the design. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description HTML with `{{ variable }}` placeholders. */
                        body?: string;
                        /** @description For internal use. Recipients never see it. */
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /** @enum {boolean} */
                        draft?: false;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        /** @description The domain must be verified. */
                        from?: string;
                        fromName?: string | null;
                        /** @description For internal use. Recipients never see it. */
                        name?: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        subject?: string;
                        /** @enum {string} */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    } | {
                        body?: string | null;
                        /** @description For internal use. Recipients never see it. */
                        description?: string | null;
                        /** @description A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as `design.blocks.2.columns.0.1.src`. */
                        design?: components["schemas"]["DesignInput"] | null;
                        /**
                         * @description Saves without the checks of the required fields, the syntax, and the sender domain.
                         * @enum {boolean}
                         */
                        draft: true;
                        /**
                         * @description Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without a `body` keeps the HTML and drops the design.
                         * @enum {string}
                         */
                        editor?: "html" | "blocks";
                        from?: string | null;
                        fromName?: string | null;
                        /** @description For internal use. Recipients never see it. */
                        name?: string;
                        /** @description Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain text with `{{ variable }}` placeholders. */
                        preheader?: string | null;
                        replyTo?: string | null;
                        subject?: string | null;
                        /** @enum {string} */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/templates/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a template
         * @description Returns the new template. Its name is the original name followed by ` (copy)`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test email
         * @description The subject is prefixed with `[TEST] `, and the content uses the data of the contact. Test emails are counted nowhere. Returns 422 with the list of problems for a draft with errors, and 403 if the sender domain is not verified. `id` is the email's id for `GET /emails/:id`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The contact whose data is shown. Default: the contact with the address, if there is one. */
                        contactId?: string;
                        email: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            email: string;
                            id: string;
                            /** @enum {string} */
                            status: "PENDING";
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the usage of a template */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TemplateUsage"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a template
         * @description Every change creates a version. Newest first.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["ListedTemplateVersion"][];
                            hasMore: boolean;
                            /** @description The size of the whole list, on the first page only. 0 on later pages. */
                            total: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a version of a template */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TemplateVersion"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of a template
         * @description Creates a new version with the content of the old one, and returns the template. Its name and description stay. If it has this content already, nothing changes. A version that was a draft makes the template a draft. Returns 403 if the sender domain of another version is no longer verified. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Template"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Confirm an unsubscription
         * @description Changes nothing, because mail scanners follow links.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        /**
         * Unsubscribe
         * @description Called by the button of the page, or by a mailbox provider with `List-Unsubscribe=One-Click` (RFC 8058). If the recipient of the email is not a contact, the address is suppressed in the project.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
                /** @description A page that describes the error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads/{folder}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an uploaded image
         * @description The target of `url` of an upload. Requires no key. The response may be cached forever, and `If-None-Match` returns 304.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    file: string;
                    folder: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The image. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/gif": Blob;
                        "image/jpeg": Blob;
                        "image/png": Blob;
                        "image/webp": Blob;
                    };
                };
                /** @description The client has this version. */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an image
         * @description Uploads an image for the bodies of templates. Send a form (`multipart/form-data`) with the image in the part `image`: PNG, JPEG, GIF, or WebP, detected from the content, at most 10 MB (413 otherwise). Other content, such as SVG, returns 415. Use the `url` of the response in `<img src>`. It is valid until the project is deleted.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "multipart/form-data": components["schemas"]["ImageFormInput"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Upload"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the current user */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CurrentUser"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the address or the password
         * @description Requires the current password. A wrong one returns 422 at `currentPassword` and counts as a failed login: after 10 for the address, or 100 from one network, within 15 minutes, the endpoint returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.
         *
         *     A new `email` is not verified, links in earlier emails about the account stop working, and the former address gets a notice. As after a sign-up, the verification email is sent if the installation requires verified addresses. An address of another account returns 422 at `email`. Attempts count like sign-ups.
         *
         *     A `newPassword` has 8 to 1,000 characters. It ends all other sessions; the current one gets a new cookie.
         *
         *     An account that only signs in with a provider has no password and gets 422 at `currentPassword`. Its first password comes from `POST /auth/request-password-reset`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        currentPassword: string;
                        email?: string;
                        newPassword?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CurrentUser"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/users/@me/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the user's projects
         * @description Newest first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Project"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a project
         * @description The user becomes the owner. Only this response contains the secret key.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProjectWithSecret"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Requires the role OWNER. Deletes the project and all its content irreversibly. Running campaigns, jobs, and executions are canceled, and unsent emails are never sent. A disabled project can be deleted, too.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update a project
         * @description Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Missing fields stay unchanged. A disabled project returns 403 `PROJECT_DISABLED`, unless the body is `{ "disabled": false }`, which re-enables it. Canceled campaigns and executions stay canceled, and only later figures can disable the project again for its reputation.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The logo and the color for the block editor. */
                        brand?: {
                            /** @example #1f4fd8 */
                            color: string | null;
                            /** @example https://example.com/logo.png */
                            logoUrl: string | null;
                        } | null;
                        /** @description The suggested sender of new content. */
                        defaultFrom?: string | null;
                        defaultFromName?: string | null;
                        /** @description Only `false` has an effect, and only if it is the only field: it re-enables a disabled project. */
                        disabled?: boolean;
                        language?: string;
                        name?: string;
                        /**
                         * @description The postal address of the sender, for the footer of MARKETING emails.
                         * @example Shop Ltd, 1 Example Street, Dublin
                         */
                        postalAddress?: string | null;
                        /** @description The hours in which MARKETING and HEADLESS email of campaigns and workflows is sent. Null: at any time. */
                        sendWindow?: components["schemas"]["SendWindowInput"] | null;
                        /**
                         * @description The name of an IANA time zone, for figures and schedules.
                         * @example Europe/Berlin
                         */
                        timezone?: string;
                        /** @enum {string} */
                        tracking?: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
                        /** @description Whether `subscribed` of `POST /v1/track` changes known contacts. Requests with the secret key always can. */
                        trackMayChangeSubscription?: boolean;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Project"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/users/@me/projects/{id}/billing-consumption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve this month's consumption
         * @description Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Works without a payment provider.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BillingConsumption"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}/billing-invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices
         * @description Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Returns 404 `BILLING_DISABLED` if no payment provider is configured. Newest first. Empty before the first checkout. The portal lists all invoices.
         */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Invoice"][];
                            hasMore: boolean;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}/billing-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve billing limits and usage
         * @description Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Counts the emails of workflows, campaigns, and `/v1/send` per calendar month (UTC) when they are accepted. Test emails do not count. At 80%, the owner and the admins get an email, once a month. At the limit, `/v1/send` returns 429 and a campaign returns 403, both `BILLING_LIMIT_EXCEEDED`, and SEND_EMAIL steps are skipped with a reason. Works without a payment provider.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BillingLimits"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        /**
         * Set billing limits
         * @description Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Null removes a limit; a missing limit stays. A limit applies to all emails that are accepted from then on. Returns 403 `PROJECT_DISABLED` if the project is disabled. Works without a payment provider.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        campaigns?: number | null;
                        transactional?: number | null;
                        workflows?: number | null;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BillingLimits"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}/billing-portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the billing portal
         * @description Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Returns 404 `BILLING_DISABLED` if no payment provider is configured. In the portal, the user changes or cancels the subscription. Returns 409 before the first checkout. Also available for disabled projects.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The payment provider's page. Open it in the user's browser. */
                            url: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a subscription
         * @description Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Returns 404 `BILLING_DISABLED` if no payment provider is configured. Returns 409 if the project already has a subscription, and 403 `PROJECT_DISABLED` if it is disabled.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The payment provider's page. Open it in the user's browser. */
                            url: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}/regenerate-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Regenerate the keys of a project
         * @description Requires the role OWNER or ADMIN. The old keys stop working immediately. Only this response contains the secret key. Also available for disabled projects.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProjectWithSecret"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a project
         * @description Requires the role OWNER or ADMIN. Irreversible. Cancels everything that runs, then deletes contacts, templates, campaigns, segments, workflows, events, and emails, with all dependent data. The project keeps its settings, keys, members, and domains, and the suppressed addresses and figures of its reputation.
         *
         *     The response comes after the deletion, which takes minutes for a large project. If the call is interrupted, nothing runs anymore and a part of the content is deleted; repeat it to continue. Content that is created during the reset may be deleted or stay. A disabled project returns 403 `PROJECT_DISABLED`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Project"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/projects/{id}/security": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a project's reputation
         * @description Available to all members (404 for non-members). A level is `warning` or `critical` from these rates upward: bounces 5% or 10% over 7 days, 4% or 8% all time; complaints 0.075% or 0.15% over 7 days, 0.03% or 0.12% all time. A rate counts from 100 emails upward, and a level needs at least 5 bounces or 3 complaints (critical: 10 or 5). Only permanent bounces count.
         *
         *     A critical project is disabled within seconds: running campaigns and executions are canceled, queued emails are not sent, and requests that change something return 403 `PROJECT_DISABLED`. `PATCH /users/@me/projects/:id` with `{ "disabled": false }` enables the project again; its levels stay as they are.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Security"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of the user
         * @description The active sessions, the last used one first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ActiveSession"][];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Its cookie stops working immediately, and its live streams end within seconds. To end the current session is to log out. A session that has ended or belongs to another user returns 404 `SESSION_NOT_FOUND`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Ended. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/@me/test-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test email to the user
         * @description Sends a fixed text from the sender of the installation to the address of the user. It needs no verified domain, belongs to no project, and counts toward no limit of a project. After 5 emails in 15 minutes, the endpoint returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            email: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a batch of transactional email
         * @description Takes up to 100 requests as for `POST /v1/send`, each with its own content, recipients, attachments, and `scheduledFor`. In the mode `all`, they are accepted in one transaction: an error of one of them, which the response names (`emails.3.template`, or `details.index`), rejects the batch. In the mode `each`, the response is 200 with a result or an error per request, also of one that breaks the schema. With the header `Idempotency-Key`, a repeated batch returns 409 with the original response in its details; in the mode `each`, a repeat sends only what was not accepted before, and the others have this error.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Printable ASCII characters. A repeated request with the same key within 24 hours returns 409 `IDEMPOTENCY_KEY_REUSED`, with the first response in `error.details`. Requests with the public key have keys of their own. */
                    "Idempotency-Key"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description 1 to 100 requests as for `POST /v1/send`, with at most 1,000 recipients in total. */
                        emails: {
                            /** @default [] */
                            attachments?: {
                                /** @description Base64. */
                                content: string;
                                contentId?: string | null;
                                /** @default application/octet-stream */
                                contentType?: string;
                                /**
                                 * @default attachment
                                 * @enum {string}
                                 */
                                disposition?: "attachment" | "inline";
                                filename: string;
                            }[];
                            /** @description One or more addresses that get a copy of the email to the only recipient in `to`; with the others, at most 50. Each copy is an email of its own, and its address does not become a contact. No recipient sees them. */
                            bcc?: (string | {
                                email: string;
                                name?: string | null;
                            }) | (string | {
                                email: string;
                                name?: string | null;
                            })[];
                            /** @description HTML with `{{ variable }}` placeholders. */
                            body?: string;
                            /** @description One or more addresses that get a copy of the email to the only recipient in `to`; with the others, at most 50. Each copy is an email of its own, and its address does not become a contact. The header Cc shows them. */
                            cc?: (string | {
                                email: string;
                                name?: string | null;
                            }) | (string | {
                                email: string;
                                name?: string | null;
                            })[];
                            data?: {
                                [key: string]: unknown;
                            };
                            from?: string | {
                                email: string;
                                name?: string | null;
                            };
                            /** @description A name of yours for emails that you may cancel together. */
                            group?: string;
                            /** @description Additional headers. Headers that the API sets itself (From, Subject, Content-Type, and similar) return 422, and so does List-Unsubscribe with a template that is not transactional. */
                            headers?: {
                                [key: string]: string;
                            };
                            /**
                             * @deprecated
                             * @description The sender name if `from` is a string.
                             */
                            name?: string;
                            reply?: string;
                            /** @description When it is sent, with an offset from UTC, or as a local time with `timezone`; at most 90 days ahead. A time of the last minute is now. */
                            scheduledFor?: string;
                            subject?: string;
                            subscribed?: boolean;
                            /** @description Up to 10 names of yours, by which emails are listed. Their events and webhooks have them. */
                            tags?: string[];
                            /** Format: uuid */
                            template?: string;
                            /** @description The text alternative, with placeholders. Without it, it is derived from the body. */
                            text?: string;
                            /** @description The IANA time zone of `scheduledFor`, such as `Europe/Berlin`. A time that a change of clocks skips is moved forward; of a time that exists twice, the second counts. */
                            timezone?: string;
                            /** @description One recipient, or a list of 1 to 1,000 recipients. Each gets a separate email. */
                            to: (string | {
                                email: string;
                                name?: string | null;
                            }) | (string | {
                                email: string;
                                name?: string | null;
                            })[];
                        }[];
                        /**
                         * @description `all`: every request is accepted, or none. `each`: each has its own result.
                         * @default all
                         * @enum {string}
                         */
                        mode?: "all" | "each";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description One result per request, in their order. */
                            data: ({
                                data: {
                                    emails: {
                                        contact: {
                                            email: string;
                                            id: string | null;
                                        };
                                        email: string;
                                    }[];
                                    /** Format: date-time */
                                    scheduledFor?: string;
                                    /**
                                     * @description Only if the emails are scheduled.
                                     * @enum {string}
                                     */
                                    status?: "SCHEDULED";
                                    /** Format: date-time */
                                    timestamp: string;
                                };
                                /** @enum {boolean} */
                                success: true;
                            } | components["schemas"]["Error"])[];
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send transactional email
         * @description Sends one email per recipient, and creates or updates the contact of each. The response comes after the commit. The emails are then handed to the mail server in the order of the recipients. With the header `Idempotency-Key`, a repeat returns 409 with the original response in its details. An address in `cc` or `bcc` gets an email of its own with the same content, and follows the recipient in the response. If a recipient of a MARKETING template is not subscribed, or a recipient of a MARKETING or HEADLESS template has a suppressed address, the whole request returns 400 `CONTACT_UNSUBSCRIBED` and nothing is sent.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Printable ASCII characters. A repeated request with the same key within 24 hours returns 409 `IDEMPOTENCY_KEY_REUSED`, with the first response in `error.details`. Requests with the public key have keys of their own. */
                    "Idempotency-Key"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @default [] */
                        attachments?: {
                            /** @description Base64. */
                            content: string;
                            contentId?: string | null;
                            /** @default application/octet-stream */
                            contentType?: string;
                            /**
                             * @default attachment
                             * @enum {string}
                             */
                            disposition?: "attachment" | "inline";
                            filename: string;
                        }[];
                        /** @description One or more addresses that get a copy of the email to the only recipient in `to`; with the others, at most 50. Each copy is an email of its own, and its address does not become a contact. No recipient sees them. */
                        bcc?: (string | {
                            email: string;
                            name?: string | null;
                        }) | (string | {
                            email: string;
                            name?: string | null;
                        })[];
                        /** @description HTML with `{{ variable }}` placeholders. */
                        body?: string;
                        /** @description One or more addresses that get a copy of the email to the only recipient in `to`; with the others, at most 50. Each copy is an email of its own, and its address does not become a contact. The header Cc shows them. */
                        cc?: (string | {
                            email: string;
                            name?: string | null;
                        }) | (string | {
                            email: string;
                            name?: string | null;
                        })[];
                        data?: {
                            [key: string]: unknown;
                        };
                        from?: string | {
                            email: string;
                            name?: string | null;
                        };
                        /** @description A name of yours for emails that you may cancel together. */
                        group?: string;
                        /** @description Additional headers. Headers that the API sets itself (From, Subject, Content-Type, and similar) return 422, and so does List-Unsubscribe with a template that is not transactional. */
                        headers?: {
                            [key: string]: string;
                        };
                        /**
                         * @deprecated
                         * @description The sender name if `from` is a string.
                         */
                        name?: string;
                        reply?: string;
                        /** @description When it is sent, with an offset from UTC, or as a local time with `timezone`; at most 90 days ahead. A time of the last minute is now. */
                        scheduledFor?: string;
                        subject?: string;
                        subscribed?: boolean;
                        /** @description Up to 10 names of yours, by which emails are listed. Their events and webhooks have them. */
                        tags?: string[];
                        /** Format: uuid */
                        template?: string;
                        /** @description The text alternative, with placeholders. Without it, it is derived from the body. */
                        text?: string;
                        /** @description The IANA time zone of `scheduledFor`, such as `Europe/Berlin`. A time that a change of clocks skips is moved forward; of a time that exists twice, the second counts. */
                        timezone?: string;
                        /** @description One recipient, or a list of 1 to 1,000 recipients. Each gets a separate email. */
                        to: (string | {
                            email: string;
                            name?: string | null;
                        }) | (string | {
                            email: string;
                            name?: string | null;
                        })[];
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: {
                                emails: {
                                    contact: {
                                        email: string;
                                        id: string | null;
                                    };
                                    email: string;
                                }[];
                                /** Format: date-time */
                                scheduledFor?: string;
                                /**
                                 * @description Only if the emails are scheduled.
                                 * @enum {string}
                                 */
                                status?: "SCHEDULED";
                                /** Format: date-time */
                                timestamp: string;
                            };
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Track an event
         * @description Records the event and creates or updates the contact of the address, both or neither. `event` has 1 to 255 characters. `email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.<slug>.entry`, `segment.<slug>.exit`, and other types of webhooks (`GET /webhooks/types`) return 422 with the code `reserved_event`. Without `subscribed`, a new contact is subscribed and an existing one stays unchanged. `data` is merged into the contact under the rules of `POST /contacts`; `{ value, persistent: false }` is stored only with the event. With the header `Idempotency-Key`, a repeat returns 409 with the original response in its details.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Printable ASCII characters. A repeated request with the same key within 24 hours returns 409 `IDEMPOTENCY_KEY_REUSED`, with the first response in `error.details`. Requests with the public key have keys of their own. */
                    "Idempotency-Key"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        data?: {
                            [key: string]: unknown;
                        };
                        email: string;
                        event: string;
                        subscribed?: boolean;
                        /** @description The IANA time zone of the contact, for example what `Intl` reports. An unknown one is ignored. */
                        timezone?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["TrackedEvent"];
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an email address
         * @description Checks the syntax of the address, the DNS records of its domain, and lists of providers. No mail server is contacted. Text that is not an email address returns 422. Only `valid` is a verdict; the other fields are information. The response takes at most 5 seconds: a DNS lookup without a response by then counts as not found and is listed in `reasons`. Results of a domain are cached for up to one minute.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["EmailVerification"];
                            /** @enum {boolean} */
                            success: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Returns all of them, newest first.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Webhook"][];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Add a webhook endpoint
         * @description From now on, the chosen events are posted to the URL, signed as in the Standard Webhooks specification. Returns the secret, which is not shown again. Returns 409 if the project has 20 endpoints. Sessions require the role OWNER or ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @default  */
                        description?: string;
                        /** @default true */
                        enabled?: boolean;
                        /**
                         * @description Types (`GET /webhooks/types`), names of own events, and patterns: `email.*` and so on for all types with this beginning, `custom.*` for all own events, and `*` for everything.
                         * @example [
                         *       "email.bounced",
                         *       "email.complained",
                         *       "contact.*"
                         *     ]
                         */
                        events: string[];
                        /**
                         * @description Where the events are posted. It must begin with https://; http:// is accepted unless `NODE_ENV` is `production`. Private and local addresses are rejected, also when a name leads to one at the time of a delivery.
                         * @example https://example.com/hooks/sendloom
                         */
                        url: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookWithSecret"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a webhook endpoint */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Webhook"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description What waits for it is discarded. Sessions require the role OWNER or ADMIN.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description No Content */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update a webhook endpoint
         * @description Changes only the given fields. What waits is sent to a new URL. Sessions require the role OWNER or ADMIN.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        description?: string;
                        /** @description Enabling forgets failures and delivers what waits. */
                        enabled?: boolean;
                        /**
                         * @description Types (`GET /webhooks/types`), names of own events, and patterns: `email.*` and so on for all types with this beginning, `custom.*` for all own events, and `*` for everything.
                         * @example [
                         *       "email.bounced",
                         *       "email.complained",
                         *       "contact.*"
                         *     ]
                         */
                        events?: string[];
                        /**
                         * @description Where the events are posted. It must begin with https://; http:// is accepted unless `NODE_ENV` is `production`. Private and local addresses are rejected, also when a name leads to one at the time of a delivery.
                         * @example https://example.com/hooks/sendloom
                         */
                        url?: string;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Webhook"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description Returns the newest events first. Deliveries are kept for `WEBHOOK_DELIVERY_DAYS` (30) after their last attempt.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    /** @description Only events of this ISO 8601 date or timestamp, or later. */
                    since?: string;
                    status?: "PENDING" | "DELIVERED" | "FAILED" | "DISCARDED";
                    type?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["WebhookDelivery"][];
                            hasMore: boolean;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a delivery
         * @description With the request and its attempts.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    deliveryId: string;
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookDeliveryDetails"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat a delivery
         * @description Sends it again under the same id. Its status does not matter. Sessions require the role OWNER or ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    deliveryId: string;
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookDelivery"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay the events of a time range
         * @description FAILED repeats failed deliveries; ALL sends all events that the endpoint wants, also those from before it existed or while it was disabled, but no tests. Their ids stay the same. Events of deleted contacts, and those that retention has deleted, are not sent. At most 100000 deliveries. With `dryRun`, it only counts them, and returns 200. Otherwise it returns the id of the job that puts them into the queue of the endpoint, or 409 while another one does. Sessions require the role OWNER or ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @default false */
                        dryRun?: boolean;
                        /** Format: date-time */
                        since: string;
                        /**
                         * @default FAILED
                         * @enum {string}
                         */
                        status?: "FAILED" | "ALL";
                        /** @description Types and patterns. Default: all that the endpoint wants. */
                        types?: string[];
                        /**
                         * Format: date-time
                         * @description Not included. Default: now.
                         */
                        until?: string;
                    };
                };
            };
            responses: {
                /** @description Of a dry run. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The number of deliveries. */
                            count: number;
                        };
                    };
                };
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The number of deliveries. */
                            count: number;
                            jobId: string;
                            message: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new secret of a webhook endpoint
         * @description Until the former secret expires, each delivery has a signature by each of the two. Sessions require the role OWNER or ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description How long the former secret signs too.
                         * @default 24
                         */
                        graceHours?: number;
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** Format: date-time */
                            previousSecretExpiresAt: string;
                            /**
                             * @description The prefix `whsec_` and a base64 value. It is not shown again.
                             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
                             */
                            secret: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to a webhook endpoint
         * @description Sends the example of a type, or of an own event, to this endpoint only. Returns 409 if it is disabled. Sessions require the role OWNER or ADMIN.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example email.bounced */
                        type: string;
                    };
                };
            };
            responses: {
                /** @description Accepted */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            deliveryId: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/incoming/stripe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a Stripe event
         * @description Called by Stripe with a signature. Each event is applied once, in any order. Returns 400 without a valid signature, and 404 `BILLING_DISABLED` if no payment provider is configured.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {string} */
                            outcome: "applied" | "repeated" | "ignored";
                            /** @enum {boolean} */
                            received: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/sns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a message of Amazon SNS
         * @description For Amazon SNS, not for API users. Accepts signature versions 1 and 2 with a certificate of SNS, and confirms subscriptions automatically. Applies the bounces, complaints, deliveries, opens, and clicks that SES reports as notifications or events, each once. A permanent bounce or a complaint unsubscribes the contact. Returns 403 for an invalid signature or an unknown topic, and 503 if SNS should try again.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        Message: string;
                        MessageId: string;
                        Signature: string;
                        SignatureVersion: string;
                        SigningCertURL: string;
                        Subject?: string | null;
                        SubscribeURL?: string;
                        /** Format: date-time */
                        Timestamp: string;
                        Token?: string;
                        TopicArn: string;
                        /** @enum {string} */
                        Type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {boolean} */
                            received: true;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the types of webhooks
         * @description Each type with the JSON Schema of its `data` and an example of the whole body.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["WebhookType"][];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows
         * @description Returns workflows with their steps and transitions. `search` matches part of the name or description. Case-insensitive.
         */
        get: {
            parameters: {
                query?: {
                    dir?: "asc" | "desc";
                    page?: number;
                    pageSize?: number;
                    search?: string;
                    sort?: "createdAt" | "name" | "updatedAt";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Workflow"][];
                            page: number;
                            pageSize: number;
                            total: number;
                            totalPages: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a workflow
         * @description Creates a disabled workflow with a TRIGGER step and the `triggerType` EVENT. Add steps and transitions, then enable it with PATCH.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @default false */
                        allowReentry?: boolean;
                        description?: string | null;
                        /** @description The name of any event, 1 to 255 characters. Events that the service records are allowed, such as `contact.subscribed`, `segment.<slug>.entry`, and `email.opened`. */
                        eventName: string;
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workflow"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a workflow with its steps and transitions */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workflow"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Delete a workflow
         * @description Also deletes its steps, transitions, and ended executions. The emails that they sent stay. Returns 409 while the workflow has active executions. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update, enable, or disable a workflow
         * @description Changes only the given fields, all or none. Null clears the description. Another event returns 409 while the workflow is enabled and has active executions, unless the same request disables it. With `allowReentry: false`, contacts that have had an execution cannot start another one. Enabling a workflow whose graph has errors (`POST /workflows/:id/validate`) returns 422 that lists them in `details.problems`. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        allowReentry?: boolean;
                        description?: string | null;
                        enabled?: boolean;
                        name?: string;
                        triggerConfig?: {
                            /** @description The name of any event, 1 to 255 characters. Events that the service records are allowed, such as `contact.subscribed`, `segment.<slug>.entry`, and `email.opened`. */
                            eventName: string;
                        };
                        /** @enum {string} */
                        triggerType?: "EVENT";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workflow"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/workflows/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a workflow
         * @description Creates a disabled workflow with the same steps and transitions, named "… (copy)". It has no executions.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workflow"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a workflow's executions
         * @description Newest first. An unknown `status` returns 422. An unknown `contactId` or `stepId` returns an empty list. Cursors are faster than pages far from the start. The `total` of a search that more than 1,000 contacts match is at most 10,000.
         */
        get: {
            parameters: {
                query?: {
                    contactId?: string;
                    /** @description Continues after the page that had this cursor. Then `page` is ignored, nothing is counted, and `page`, `total`, and `totalPages` are 0. */
                    cursor?: string;
                    page?: number;
                    pageSize?: number;
                    /** @description A part of the contact's address. Case-insensitive. */
                    search?: string;
                    status?: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
                    /** @description The step at which executions are or ended. */
                    stepId?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description For the next page; null on the last page. */
                            cursor: string | null;
                            data: components["schemas"]["ListedExecution"][];
                            hasMore: boolean;
                            page: number;
                            pageSize: number;
                            total: number;
                            totalPages: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Start an execution for a contact
         * @description Starts an execution without an event. The re-entry rule applies. Returns 404 if the workflow or the contact does not exist. Returns 409 if the workflow is disabled, if the contact already has an active execution of it, or if the contact has had one and the workflow does not allow re-entry.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        contactId: string;
                        /** @description Variables of the execution, at most 64 KiB of JSON. CONDITION steps use them as `event.<key>` and `workflow.<key>`, templates as `{{ key }}`, `{{ event.key }}`, and `{{ workflow.key }}`. */
                        context?: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Execution"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve an execution with the history of its steps */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    executionId: string;
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ExecutionWithHistory"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Cancel an execution
         * @description Allowed in RUNNING and WAITING (409 otherwise). Emails that its steps have queued are still sent. Returns the execution with the status CANCELLED.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    executionId: string;
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Execution"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/skip-wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the wait of an execution
         * @description Ends the DELAY or WAIT_FOR_EVENT that the execution is in, and continues with the next step. A WAIT_FOR_EVENT with a timeout continues on the branch `timeout`, as if the time were up. One without a timeout continues as if the event had occurred, without data. If the event has just occurred, it decides as usual. Returns 409 at any other step, and once the wait is over: of parallel calls, one succeeds. Returns the execution at its next step.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    executionId: string;
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Execution"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/cancel-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel all active executions of a workflow
         * @description Cancels the executions that are active at the time of the call. Disable the workflow first to prevent new ones. If the call is interrupted, repeat it to cancel the remaining executions.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cancelled: number;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the graph of a workflow
         * @description Saves all steps and transitions, or none. Steps with an `id` are replaced as a whole, steps with a `key` are added, and missing steps and transitions are deleted. A transition with the same ends and branch keeps its id. The rules are those of single steps and transitions: an invalid config returns 422 with the path of each error, such as `steps.2.config.amount`, as does a template that is a draft with errors; a broken rule of the graph and an unknown segment return 400; an unknown step or template returns 404. Executions at a deleted step end as EXITED; all others continue. Returns 409 while the workflow is enabled and has active executions, unless only names and positions change. If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current `ETag`.
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the request returns 412 and changes nothing. Without this header, the last change wins. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WorkflowGraphInput"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        /** @description The version of the resource. Every change of content changes it; figures and counters do not. Send it as `If-Match` with the next change. */
                        ETag?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReplacedWorkflowGraph"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the figures of a workflow
         * @description Counts executions, what happened at each step, and how often each transition was passed. `from` and `to` are rounded outward to quarters of an hour; without them, the figures are of the whole time. Steps are entered and transitions are passed when a step begins; all other figures count at its end. A canceled step is entered, and then neither completed, skipped, nor failed. The figures equal the history of executions: those of deleted contacts no longer count.
         */
        get: {
            parameters: {
                query?: {
                    /** @description An ISO 8601 date or timestamp, not after `to`. A date is the start of that UTC day. */
                    from?: string;
                    /** @description An ISO 8601 date or timestamp, included. A date is the end of that UTC day. */
                    to?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkflowStats"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a step
         * @description Adds a step without transitions. An invalid config returns 422 with the path of each error, such as `config.amount`. An unknown template returns 404, and an unknown segment 400. Returns 409 while the workflow is enabled and has active executions. Disable it first.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description The config depends on the type:
                         *     - TRIGGER `{ eventName }`
                         *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`
                         *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.
                         *     - WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.
                         *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the related operators, which checks whether the contact had that event.
                         *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are templates. The URL starts with http:// or https:// and a host, without a user name or password. The default body is `{ contact, workflow, execution, event }`.
                         *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of contact data apply.
                         *     - EXIT `{ reason? }`
                         */
                        config?: {
                            [key: string]: unknown;
                        };
                        /** @description Default: the type in words. */
                        name?: string;
                        /** @description The position in an editor. */
                        position?: {
                            x: number;
                            y: number;
                        };
                        /** @description The template of a SEND_EMAIL step. It takes precedence over the one in `config`. */
                        templateId?: string | null;
                        /**
                         * @description Any type except TRIGGER, which every workflow already has.
                         * @enum {string}
                         */
                        type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkflowStep"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/steps/{stepId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a step
         * @description Also deletes its transitions. Later steps stay. With `splice=true`, its predecessors are connected to its successor, on their branches; of several successors, the one without a branch or on the branch `event`. A CONDITION cannot be spliced (400). The TRIGGER cannot be deleted (400). Executions at the step continue at the successor with `splice=true`, and end as EXITED otherwise. Returns 409 while the workflow is enabled and has active executions. Disable it first.
         */
        delete: {
            parameters: {
                query?: {
                    /** @description Whether to connect the predecessors to the successor. */
                    splice?: "true" | "false";
                };
                header?: never;
                path: {
                    id: string;
                    stepId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Update a step
         * @description Changes only the given fields. `config` is replaced as a whole; a SEND_EMAIL step keeps its template if the new config names none, and the config of the TRIGGER is also the workflow's. An invalid config returns 422 with the path of each error, such as `config.amount`. An unknown template returns 404, and an unknown segment 400. Returns 400 if a transition uses a branch that the step would lose, and for another `type`. Returns 409 for another config or template while the workflow is enabled and has active executions; name and position can always change.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    stepId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description The config depends on the type:
                         *     - TRIGGER `{ eventName }`
                         *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`
                         *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.
                         *     - WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.
                         *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the related operators, which checks whether the contact had that event.
                         *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are templates. The URL starts with http:// or https:// and a host, without a user name or password. The default body is `{ contact, workflow, execution, event }`.
                         *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of contact data apply.
                         *     - EXIT `{ reason? }`
                         */
                        config?: {
                            [key: string]: unknown;
                        };
                        /** @description Default: the type in words. */
                        name?: string;
                        /** @description The position in an editor. */
                        position?: {
                            x: number;
                            y: number;
                        };
                        /** @description The template of a SEND_EMAIL step. It takes precedence over the one in `config`. */
                        templateId?: string | null;
                        /**
                         * @description The type cannot change; another one returns 400.
                         * @enum {string}
                         */
                        type?: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkflowStep"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/workflows/{id}/transitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a transition between two steps
         * @description Returns 400 for a transition into the TRIGGER, out of an EXIT, or from a step to itself; for a branch that the step does not have; for a second transition on the same branch; and for a loop without a DELAY or WAIT_FOR_EVENT. Returns 404 for a step that is not in the workflow. Returns 409 while the workflow is enabled and has active executions. Disable it first.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description CONDITION: `yes` or `no`, or with `mode: "multi"` the id of a branch or `default`. WAIT_FOR_EVENT: `event` (or none) or `timeout`. WEBHOOK: none or `error`. All other types: none. */
                        branch?: string | null;
                        /** @description An alternative to `branch`. */
                        condition?: {
                            branch?: string | null;
                        } | null;
                        fromStepId: string;
                        /** @default 0 */
                        priority?: number;
                        toStepId: string;
                    };
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkflowTransition"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/transitions/{transitionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a transition
         * @description Returns 409 while the workflow is enabled and has active executions. Disable it first.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    transitionId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate the graph of a workflow
         * @description Returns the problems of the graph in the body, or of the stored graph without a body. Nothing is written. Errors prevent saving or enabling it: `invalid_config`, `missing_template`, `unknown_template`, `unknown_segment`, `unknown_step`, `repeated_step`, `missing_key`, `changed_type`, `wrong_trigger_count`, `invalid_transition`, `repeated_branch`, and `loop_without_pause`. Warnings and infos do not: `unreachable_step`, `no_steps`, `missing_branch`, and `unverified_sender`. A template that is a draft has the errors of `POST /render`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        steps?: {
                            /**
                             * @description The config depends on the type:
                             *     - TRIGGER `{ eventName }`
                             *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`
                             *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.
                             *     - WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.
                             *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the related operators, which checks whether the contact had that event.
                             *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are templates. The URL starts with http:// or https:// and a host, without a user name or password. The default body is `{ contact, workflow, execution, event }`.
                             *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of contact data apply.
                             *     - EXIT `{ reason? }`
                             */
                            config?: {
                                [key: string]: unknown;
                            };
                            /** @description A step of the workflow. Without it, the step is new and needs a `key`. */
                            id?: string;
                            /** @description A name of your choice for the step in this request. The response maps it to the id. A TRIGGER with a key is the TRIGGER that the workflow has. */
                            key?: string;
                            /** @description Default: the type in words. */
                            name?: string;
                            /** @description The position in an editor. */
                            position?: {
                                x: number;
                                y: number;
                            };
                            /** @description The template of a SEND_EMAIL step. It takes precedence over the one in `config`. */
                            templateId?: string | null;
                            /**
                             * @description A graph has exactly one TRIGGER. The type of an existing step cannot change.
                             * @enum {string}
                             */
                            type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
                        }[];
                        transitions?: {
                            /** @description CONDITION: `yes` or `no`, or with `mode: "multi"` the id of a branch or `default`. WAIT_FOR_EVENT: `event` (or none) or `timeout`. WEBHOOK: none or `error`. All other types: none. */
                            branch?: string | null;
                            /** @description The id or the key of a step in `steps`. */
                            from: string;
                            /** @description The id or the key of a step in `steps`. */
                            to: string;
                        }[];
                    };
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            problems: components["schemas"]["WorkflowProblem"][];
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the fields for CONDITION steps
         * @description Returns `contact.email`, `contact.subscribed`, `contact.createdAt`, `contact.updatedAt`, `contact.data.<key>` for each key in the data of contacts, and `event.<key>` for each key in the data of recent tracked events, or of the event in `eventName`. The keys come from samples of the contacts and of the latest events, so a rare key may be missing. Conditions can use such a key nevertheless.
         */
        get: {
            parameters: {
                query?: {
                    eventName?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkflowFields"];
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the webhook secret
         * @description Each request of a WEBHOOK step has the headers `webhook-id`, `webhook-timestamp`, and `webhook-signature` of the Standard Webhooks specification, so that the receiver can verify its origin. `webhook-id` is the same for every attempt of a step. The project has one secret, which is created at its first use and stays the same.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The prefix `whsec_` and a base64 value. */
                            secret: string;
                        };
                    };
                };
                /** @description Any error. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptedJob: {
            jobId: string;
            message: string;
        };
        AcceptedJobInput: {
            jobId: string;
            message: string;
        };
        ActiveSession: {
            /** Format: date-time */
            createdAt: string;
            /** @description Whether this request has this session. */
            current: boolean;
            /**
             * @description The browser and the system that logged in, as far as they are known.
             * @example Firefox on Windows
             */
            device: string | null;
            id: string;
            /**
             * @description The address of the login.
             * @example 192.0.2.1
             */
            ip: string | null;
            /**
             * Format: date-time
             * @description Up to five minutes before the last request.
             */
            lastUsedAt: string;
            /** @description The header `User-Agent` of the login. */
            userAgent: string | null;
        };
        ActiveSessionInput: {
            /** Format: date-time */
            createdAt: string;
            /** @description Whether this request has this session. */
            current: boolean;
            /**
             * @description The browser and the system that logged in, as far as they are known.
             * @example Firefox on Windows
             */
            device: string | null;
            id: string;
            /**
             * @description The address of the login.
             * @example 192.0.2.1
             */
            ip: string | null;
            /**
             * Format: date-time
             * @description Up to five minutes before the last request.
             */
            lastUsedAt: string;
            /** @description The header `User-Agent` of the login. */
            userAgent: string | null;
        };
        Activity: {
            contactEmail: string | null;
            contactId: string | null;
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            timestamp: string;
            type: string;
        };
        ActivityInput: {
            contactEmail: string | null;
            contactId: string | null;
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            timestamp: string;
            type: string;
        };
        ActivityStats: {
            /** @description A fraction of `totalEmailsSent`. 0 if nothing was sent. */
            clickRate: number;
            /** @description A fraction of `totalEmailsSent`. 0 if nothing was sent. */
            openRate: number;
            /** @description Emails with at least one click. */
            totalEmailsClicked: number;
            /** @description Emails that were opened at least once. */
            totalEmailsOpened: number;
            totalEmailsSent: number;
            /** @description All events, including those that the service records. */
            totalEvents: number;
            /** @description Executions that started. */
            totalWorkflowsStarted: number;
        };
        ActivityStatsInput: {
            /** @description A fraction of `totalEmailsSent`. 0 if nothing was sent. */
            clickRate: number;
            /** @description A fraction of `totalEmailsSent`. 0 if nothing was sent. */
            openRate: number;
            /** @description Emails with at least one click. */
            totalEmailsClicked: number;
            /** @description Emails that were opened at least once. */
            totalEmailsOpened: number;
            totalEmailsSent: number;
            /** @description All events, including those that the service records. */
            totalEvents: number;
            /** @description Executions that started. */
            totalWorkflowsStarted: number;
        };
        AnalyticsPoint: {
            /**
             * Format: date-time
             * @description The start of the day or hour.
             */
            at: string;
            bounces: number;
            /** @description Emails in which a person clicked a link. */
            clicks: number;
            complaints: number;
            /**
             * Format: date
             * @description The local day.
             */
            date: string;
            delivered: number;
            /** @description Null without `groupBy`. */
            group: {
                /** @description Null for all emails that are in none of the other groups. */
                key: string | null;
                /** @description The name of the campaign, template, or workflow. Otherwise the key. */
                name: string | null;
            } | null;
            /** @description Emails in which a scanner clicked a link. */
            machineClicks: number;
            /** @description Emails that a scanner, prefetcher, or proxy opened. */
            machineOpens: number;
            /** @description Emails that a person opened. */
            opens: number;
            /** @description The same day or hour of the preceding period. Null without `compare`. */
            previous: components["schemas"]["EmailFigures"] | null;
            sent: number;
            /** @description Emails by whose links the recipient unsubscribed. */
            unsubscribes: number;
        };
        AnalyticsPointInput: {
            /**
             * Format: date-time
             * @description The start of the day or hour.
             */
            at: string;
            bounces: number;
            /** @description Emails in which a person clicked a link. */
            clicks: number;
            complaints: number;
            /**
             * Format: date
             * @description The local day.
             */
            date: string;
            delivered: number;
            /** @description Null without `groupBy`. */
            group: {
                /** @description Null for all emails that are in none of the other groups. */
                key: string | null;
                /** @description The name of the campaign, template, or workflow. Otherwise the key. */
                name: string | null;
            } | null;
            /** @description Emails in which a scanner clicked a link. */
            machineClicks: number;
            /** @description Emails that a scanner, prefetcher, or proxy opened. */
            machineOpens: number;
            /** @description Emails that a person opened. */
            opens: number;
            /** @description The same day or hour of the preceding period. Null without `compare`. */
            previous: components["schemas"]["EmailFiguresInput"] | null;
            sent: number;
            /** @description Emails by whose links the recipient unsubscribed. */
            unsubscribes: number;
        };
        AudiencePreview: {
            /** @description Contacts in the audience. */
            matched: number;
            /** @description Contacts in the audience that are not subscribed. */
            unsubscribed: number;
            /** @description Contacts that a campaign of this type would be sent to. */
            willSend: number;
        };
        AudiencePreviewInput: {
            /** @description Contacts in the audience. */
            matched: number;
            /** @description Contacts in the audience that are not subscribed. */
            unsubscribed: number;
            /** @description Contacts that a campaign of this type would be sent to. */
            willSend: number;
        };
        BillingConsumption: {
            campaigns: number;
            /**
             * Format: date-time
             * @description The start of the next calendar month in UTC.
             */
            periodEnd: string;
            /**
             * Format: date-time
             * @description The start of this calendar month in UTC.
             */
            periodStart: string;
            /** @description At the payment provider */
            subscription: {
                cancelAtPeriodEnd: boolean;
                periodEnd: string | null;
                periodStart: string | null;
                status: string;
            } | null;
            total: number;
            transactional: number;
            workflows: number;
        };
        BillingConsumptionInput: {
            campaigns: number;
            /**
             * Format: date-time
             * @description The start of the next calendar month in UTC.
             */
            periodEnd: string;
            /**
             * Format: date-time
             * @description The start of this calendar month in UTC.
             */
            periodStart: string;
            /** @description At the payment provider */
            subscription: {
                cancelAtPeriodEnd: boolean;
                periodEnd: string | null;
                periodStart: string | null;
                status: string;
            } | null;
            total: number;
            transactional: number;
            workflows: number;
        };
        BillingLimits: {
            campaigns: {
                /** @description True from 100%. No more emails of this category are accepted this month. */
                isBlocked: boolean;
                /** @description True from 80%. */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC). Null means no limit. */
                limit: number | null;
                /** @description The percentage of the limit. 0 without a limit. */
                percentage: number;
                /** @description Emails accepted this month, except those that were canceled before they were sent. */
                usage: number;
            };
            transactional: {
                /** @description True from 100%. No more emails of this category are accepted this month. */
                isBlocked: boolean;
                /** @description True from 80%. */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC). Null means no limit. */
                limit: number | null;
                /** @description The percentage of the limit. 0 without a limit. */
                percentage: number;
                /** @description Emails accepted this month, except those that were canceled before they were sent. */
                usage: number;
            };
            workflows: {
                /** @description True from 100%. No more emails of this category are accepted this month. */
                isBlocked: boolean;
                /** @description True from 80%. */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC). Null means no limit. */
                limit: number | null;
                /** @description The percentage of the limit. 0 without a limit. */
                percentage: number;
                /** @description Emails accepted this month, except those that were canceled before they were sent. */
                usage: number;
            };
        };
        BillingLimitsInput: {
            campaigns: {
                /** @description True from 100%. No more emails of this category are accepted this month. */
                isBlocked: boolean;
                /** @description True from 80%. */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC). Null means no limit. */
                limit: number | null;
                /** @description The percentage of the limit. 0 without a limit. */
                percentage: number;
                /** @description Emails accepted this month, except those that were canceled before they were sent. */
                usage: number;
            };
            transactional: {
                /** @description True from 100%. No more emails of this category are accepted this month. */
                isBlocked: boolean;
                /** @description True from 80%. */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC). Null means no limit. */
                limit: number | null;
                /** @description The percentage of the limit. 0 without a limit. */
                percentage: number;
                /** @description Emails accepted this month, except those that were canceled before they were sent. */
                usage: number;
            };
            workflows: {
                /** @description True from 100%. No more emails of this category are accepted this month. */
                isBlocked: boolean;
                /** @description True from 80%. */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC). Null means no limit. */
                limit: number | null;
                /** @description The percentage of the limit. 0 without a limit. */
                percentage: number;
                /** @description Emails accepted this month, except those that were canceled before they were sent. */
                usage: number;
            };
        };
        BulkChange: {
            /** @description The contacts. Not together with `query`. */
            contactIds?: string[];
            /** @description Required for `set`. The rules of `PATCH /contacts/:id` apply. */
            data?: {
                [key: string]: unknown;
            };
            /**
             * @description Contacts that stay unchanged.
             * @default []
             */
            except: string[];
            /** @enum {string} */
            operation: "subscribe" | "unsubscribe" | "delete" | "set" | "addToSegment" | "removeFromSegment" | "suppress" | "unsuppress";
            /** @description The contacts that match when the job begins. An empty query matches all contacts. */
            query?: {
                condition?: components["schemas"]["ConditionTree"];
                /**
                 * @default desc
                 * @enum {string}
                 */
                dir: "asc" | "desc";
                /** @description A part of the address. Case-insensitive. */
                search?: string;
                /** @description A segment of any type. Not together with `condition`. */
                segmentId?: string;
                /**
                 * @default createdAt
                 * @enum {string}
                 */
                sort: "createdAt" | "email";
                /**
                 * @description Snoozed contacts are also unsubscribed.
                 * @enum {string}
                 */
                status?: "subscribed" | "unsubscribed" | "snoozed";
            };
            /** @description Required for `addToSegment` and `removeFromSegment`: a static segment. */
            segmentId?: string;
        };
        BulkChangeInput: {
            /** @description The contacts. Not together with `query`. */
            contactIds?: string[];
            /** @description Required for `set`. The rules of `PATCH /contacts/:id` apply. */
            data?: {
                [key: string]: unknown;
            };
            /**
             * @description Contacts that stay unchanged.
             * @default []
             */
            except?: string[];
            /** @enum {string} */
            operation: "subscribe" | "unsubscribe" | "delete" | "set" | "addToSegment" | "removeFromSegment" | "suppress" | "unsuppress";
            /** @description The contacts that match when the job begins. An empty query matches all contacts. */
            query?: {
                condition?: components["schemas"]["ConditionTreeInput"];
                /**
                 * @default desc
                 * @enum {string}
                 */
                dir?: "asc" | "desc";
                /** @description A part of the address. Case-insensitive. */
                search?: string;
                /** @description A segment of any type. Not together with `condition`. */
                segmentId?: string;
                /**
                 * @default createdAt
                 * @enum {string}
                 */
                sort?: "createdAt" | "email";
                /**
                 * @description Snoozed contacts are also unsubscribed.
                 * @enum {string}
                 */
                status?: "subscribed" | "unsubscribed" | "snoozed";
            };
            /** @description Required for `addToSegment` and `removeFromSegment`: a static segment. */
            segmentId?: string;
        };
        BulkJob: {
            failedReason: string | null;
            id: string;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the rows that were processed before. */
            result: {
                errors: {
                    contactId: string;
                    error: string;
                }[];
                /** @description Ids that match no contact of the project. */
                failureCount: number;
                /** @enum {string} */
                operation: "subscribe" | "unsubscribe" | "delete" | "set" | "addToSegment" | "removeFromSegment" | "suppress" | "unsuppress";
                /** @description Contacts that already had the requested state, and repeated ids. */
                skippedCount: number;
                successCount: number;
                totalRequested: number;
            } | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        BulkJobInput: {
            failedReason: string | null;
            id: string;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the rows that were processed before. */
            result: {
                errors: {
                    contactId: string;
                    error: string;
                }[];
                /** @description Ids that match no contact of the project. */
                failureCount: number;
                /** @enum {string} */
                operation: "subscribe" | "unsubscribe" | "delete" | "set" | "addToSegment" | "removeFromSegment" | "suppress" | "unsuppress";
                /** @description Contacts that already had the requested state, and repeated ids. */
                skippedCount: number;
                successCount: number;
                totalRequested: number;
            } | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        BulkReport: {
            /** @description The first 10 errors. `GET /jobs/:id/errors.csv` returns all stored errors. */
            errors: {
                contactId: string;
                error: string;
            }[];
            failureCount: number;
            /** @enum {string} */
            operation: "subscribe" | "unsubscribe" | "delete" | "set" | "addToSegment" | "removeFromSegment" | "suppress" | "unsuppress";
            skippedCount: number;
            successCount: number;
            totalRequested: number;
        };
        BulkReportInput: {
            /** @description The first 10 errors. `GET /jobs/:id/errors.csv` returns all stored errors. */
            errors: {
                contactId: string;
                error: string;
            }[];
            failureCount: number;
            /** @enum {string} */
            operation: "subscribe" | "unsubscribe" | "delete" | "set" | "addToSegment" | "removeFromSegment" | "suppress" | "unsuppress";
            skippedCount: number;
            successCount: number;
            totalRequested: number;
        };
        Campaign: {
            audienceCondition: {
                [key: string]: unknown;
            } | null;
            /** @description Null only in a draft that lacks it. */
            audienceType: ("ALL" | "SEGMENT" | "FILTERED") | null;
            /** @description Null only in a draft that lacks it. */
            body: string | null;
            bouncedCount: number;
            clickedCount: number;
            /** Format: date-time */
            createdAt: string;
            /** @description The winner of the test. Null before the decision, and without a test. */
            decision: components["schemas"]["VariantDecision"] | null;
            deliveredCount: number;
            description: string | null;
            /** @description Null with the editor `html`. */
            design: components["schemas"]["Design"] | null;
            /** @description Whether it was saved as a draft. A draft with errors in `problems` cannot be sent or used. */
            draft: boolean;
            /**
             * @description With `blocks`, the server has written `body` from `design`.
             * @enum {string}
             */
            editor: "html" | "blocks";
            /** @description Null only in a draft that lacks it. */
            from: string | null;
            fromName: string | null;
            id: string;
            localSchedule: components["schemas"]["LocalSchedule"] | null;
            name: string;
            openedCount: number;
            preheader: string | null;
            /** @description As in `POST /render`, and `missing_audience`. Empty once the campaign is sent. */
            problems: components["schemas"]["Problem"][];
            projectId: string;
            replyTo: string | null;
            /** @description With `timezone: recipient`, when it is due in the first time zone. */
            scheduledFor: string | null;
            segmentId: string | null;
            /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
            sendWindow: components["schemas"]["SendWindow"] | null;
            /** @description The time at which the last recipient reached a final status. */
            sentAt: string | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            /** @description Null only in a draft that lacks it. */
            subject: string | null;
            /** @description The template that the campaign was created from. */
            templateId: string | null;
            /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
            test: {
                /**
                 * @description Hours from the last email of the test until the decision, if it is automatic.
                 * @default 4
                 */
                after: number;
                /**
                 * @default auto
                 * @enum {string}
                 */
                decide: "auto" | "manual";
                /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                ifTied?: string;
                /**
                 * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                 * @example clicks
                 */
                metric: string;
                /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                share: number;
            } | null;
            /** @description The number of recipients in the snapshot, which is taken when sending starts. */
            totalRecipients: number;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** Format: date-time */
            updatedAt: string;
            /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
            variants: {
                /** @description HTML. Replaces the body or the design of the campaign. */
                body?: string;
                from?: string;
                fromName?: string;
                /**
                 * @description Your name for it.
                 * @example a
                 */
                id: string;
                preheader?: string;
                subject?: string;
                /** @description Its share of the test, in percent. The weights add up to 100. */
                weight: number;
            }[] | null;
        };
        CampaignFailures: {
            data: {
                count: number;
                /** @description One of these emails. */
                example: {
                    email: string;
                    emailId: string;
                    /** @description The complete reply. */
                    response: string;
                };
                /** @description The mail server's reply, or our reason without a reply, with … in place of addresses and ids. */
                response: string;
            }[];
            /** @description Failed emails with other replies than the 100 most frequent ones. */
            other: number;
        };
        CampaignFailuresInput: {
            data: {
                count: number;
                /** @description One of these emails. */
                example: {
                    email: string;
                    emailId: string;
                    /** @description The complete reply. */
                    response: string;
                };
                /** @description The mail server's reply, or our reason without a reply, with … in place of addresses and ids. */
                response: string;
            }[];
            /** @description Failed emails with other replies than the 100 most frequent ones. */
            other: number;
        };
        CampaignInput: {
            audienceCondition: {
                [key: string]: unknown;
            } | null;
            /** @description Null only in a draft that lacks it. */
            audienceType: ("ALL" | "SEGMENT" | "FILTERED") | null;
            /** @description Null only in a draft that lacks it. */
            body: string | null;
            bouncedCount: number;
            clickedCount: number;
            /** Format: date-time */
            createdAt: string;
            /** @description The winner of the test. Null before the decision, and without a test. */
            decision: components["schemas"]["VariantDecisionInput"] | null;
            deliveredCount: number;
            description: string | null;
            /** @description Null with the editor `html`. */
            design: components["schemas"]["DesignInput"] | null;
            /** @description Whether it was saved as a draft. A draft with errors in `problems` cannot be sent or used. */
            draft: boolean;
            /**
             * @description With `blocks`, the server has written `body` from `design`.
             * @enum {string}
             */
            editor: "html" | "blocks";
            /** @description Null only in a draft that lacks it. */
            from: string | null;
            fromName: string | null;
            id: string;
            localSchedule: components["schemas"]["LocalScheduleInput"] | null;
            name: string;
            openedCount: number;
            preheader: string | null;
            /** @description As in `POST /render`, and `missing_audience`. Empty once the campaign is sent. */
            problems: components["schemas"]["ProblemInput"][];
            projectId: string;
            replyTo: string | null;
            /** @description With `timezone: recipient`, when it is due in the first time zone. */
            scheduledFor: string | null;
            segmentId: string | null;
            /** @description The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if it is TRANSACTIONAL. */
            sendWindow: components["schemas"]["SendWindowInput"] | null;
            /** @description The time at which the last recipient reached a final status. */
            sentAt: string | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            /** @description Null only in a draft that lacks it. */
            subject: string | null;
            /** @description The template that the campaign was created from. */
            templateId: string | null;
            /** @description How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts get one of the variants, by their weights. */
            test: {
                /**
                 * @description Hours from the last email of the test until the decision, if it is automatic.
                 * @default 4
                 */
                after?: number;
                /**
                 * @default auto
                 * @enum {string}
                 */
                decide?: "auto" | "manual";
                /** @description The winner if no difference is significant. Default: the variant with the highest rate. */
                ifTied?: string;
                /**
                 * @description What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event after their email (`event:<name>`). Machines do not count.
                 * @example clicks
                 */
                metric: string;
                /** @description The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner. */
                share: number;
            } | null;
            /** @description The number of recipients in the snapshot, which is taken when sending starts. */
            totalRecipients: number;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** Format: date-time */
            updatedAt: string;
            /** @description Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. Templates that do not parse and unverified senders are errors in drafts, too. */
            variants: {
                /** @description HTML. Replaces the body or the design of the campaign. */
                body?: string;
                from?: string;
                fromName?: string;
                /**
                 * @description Your name for it.
                 * @example a
                 */
                id: string;
                preheader?: string;
                subject?: string;
                /** @description Its share of the test, in percent. The weights add up to 100. */
                weight: number;
            }[] | null;
        };
        CampaignLinks: {
            data: {
                /** @description Clicks by people. */
                clicks: number;
                /** @description The first click by a person. */
                firstAt: string | null;
                /** @description The attribute `data-link` of the link: `<a href="…" data-link="cta">`. */
                label: string | null;
                /** @description The last click by a person. */
                lastAt: string | null;
                /** @description Clicks by scanners and other machines. */
                machineClicks: number;
                /** @description Recipients who clicked it. */
                people: number;
                url: string;
            }[];
            /** @description All further links together. A recipient who clicked several of them counts several times. */
            other: {
                /** @description Clicks by people. */
                clicks: number;
                /** @description The first click by a person. */
                firstAt: string | null;
                /** @description The last click by a person. */
                lastAt: string | null;
                /** @description Clicks by scanners and other machines. */
                machineClicks: number;
                /** @description Recipients who clicked it. */
                people: number;
            } | null;
        };
        CampaignLinksInput: {
            data: {
                /** @description Clicks by people. */
                clicks: number;
                /** @description The first click by a person. */
                firstAt: string | null;
                /** @description The attribute `data-link` of the link: `<a href="…" data-link="cta">`. */
                label: string | null;
                /** @description The last click by a person. */
                lastAt: string | null;
                /** @description Clicks by scanners and other machines. */
                machineClicks: number;
                /** @description Recipients who clicked it. */
                people: number;
                url: string;
            }[];
            /** @description All further links together. A recipient who clicked several of them counts several times. */
            other: {
                /** @description Clicks by people. */
                clicks: number;
                /** @description The first click by a person. */
                firstAt: string | null;
                /** @description The last click by a person. */
                lastAt: string | null;
                /** @description Clicks by scanners and other machines. */
                machineClicks: number;
                /** @description Recipients who clicked it. */
                people: number;
            } | null;
        };
        CampaignPoint: {
            /**
             * Format: date-time
             * @description The start of the interval.
             */
            at: string;
            bounces: number;
            clicks: number;
            complaints: number;
            /** @description Emails in which a scanner clicked a link. */
            machineClicks: number;
            /** @description Emails that a scanner, prefetcher, or proxy opened. `opens` counts people only. */
            machineOpens: number;
            opens: number;
            sent: number;
            unsubscribes: number;
        };
        CampaignPointInput: {
            /**
             * Format: date-time
             * @description The start of the interval.
             */
            at: string;
            bounces: number;
            clicks: number;
            complaints: number;
            /** @description Emails in which a scanner clicked a link. */
            machineClicks: number;
            /** @description Emails that a scanner, prefetcher, or proxy opened. `opens` counts people only. */
            machineOpens: number;
            opens: number;
            sent: number;
            unsubscribes: number;
        };
        CampaignProgress: {
            failedCount: number;
            id: string;
            /** @description Set while only emails are left that wait for a retry: `until` is the time of the next one. */
            paused: {
                /** @enum {string} */
                reason: "retries";
                /** Format: date-time */
                until: string;
            } | null;
            pendingCount: number;
            /** @description Emails sent per second in the last 5 seconds. 0 unless the campaign is sending. */
            perSecond: number;
            /** @description Null if the campaign is not sending, if it is paused, or if its rate is not known. */
            secondsLeft: number | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            totalRecipients: number;
        };
        CampaignProgressInput: {
            failedCount: number;
            id: string;
            /** @description Set while only emails are left that wait for a retry: `until` is the time of the next one. */
            paused: {
                /** @enum {string} */
                reason: "retries";
                /** Format: date-time */
                until: string;
            } | null;
            pendingCount: number;
            /** @description Emails sent per second in the last 5 seconds. 0 unless the campaign is sending. */
            perSecond: number;
            /** @description Null if the campaign is not sending, if it is paused, or if its rate is not known. */
            secondsLeft: number | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            totalRecipients: number;
        };
        CampaignRecipient: {
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient`. */
            bounceType: string | null;
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            /** @description Null if the contact was deleted. */
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            /** @description The address at the start of the campaign. */
            email: string;
            /** @description The id for `GET /emails/:id`. */
            emailId: string;
            error: string | null;
            openedAt: string | null;
            opens: number;
            sentAt: string | null;
            /** @enum {string} */
            status: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
        };
        CampaignRecipientInput: {
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient`. */
            bounceType: string | null;
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            /** @description Null if the contact was deleted. */
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            /** @description The address at the start of the campaign. */
            email: string;
            /** @description The id for `GET /emails/:id`. */
            emailId: string;
            error: string | null;
            openedAt: string | null;
            opens: number;
            sentAt: string | null;
            /** @enum {string} */
            status: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
        };
        CampaignsSummary: {
            /** @description Campaigns that are SCHEDULED or SENDING. */
            active: number;
            /** @description The mean over completed campaigns with at least one recipient, as a fraction. */
            averageClickRate: number;
            /** @description The mean over completed campaigns with at least one recipient, as a fraction. */
            averageOpenRate: number;
            /** @description Campaigns that are SENT. */
            completed: number;
            total: number;
        };
        CampaignsSummaryInput: {
            /** @description Campaigns that are SCHEDULED or SENDING. */
            active: number;
            /** @description The mean over completed campaigns with at least one recipient, as a fraction. */
            averageClickRate: number;
            /** @description The mean over completed campaigns with at least one recipient, as a fraction. */
            averageOpenRate: number;
            /** @description Campaigns that are SENT. */
            completed: number;
            total: number;
        };
        CampaignStats: {
            bouncedCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            bounceRate: number;
            /** @description Emails that were canceled with the campaign, or because the contact unsubscribed before it was sent. */
            cancelledCount: number;
            clickedCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            clickRate: number;
            complainedCount: number;
            deliveredCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            deliveryRate: number;
            /** @description Emails that failed, without those in `unknownCount`. */
            failedCount: number;
            /** @description Recipients without a known time zone, of a campaign in waves. */
            fallbackZone: number;
            openedCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            openRate: number;
            /** @description Emails that are not sent yet. */
            pendingCount: number;
            sentCount: number;
            totalRecipients: number;
            /** @description Emails that failed because a crash hid whether the mail server accepted them (`AMBIGUOUS_SEND=skip`). */
            unknownCount: number;
            /** @description Recipients who used the unsubscribe link, the preferences page, or one-click unsubscribe. */
            unsubscribedCount: number;
            /** @description The results of variants, without the rest of the audience. Empty without variants. */
            variants: {
                clicked: number;
                /** @description Recipients who had the event of the metric after their email. */
                converted: number;
                delivered: number;
                failed: number;
                id: string;
                /** @description Wilson's confidence interval of the rate, for 95%. */
                interval: {
                    high: number;
                    low: number;
                };
                isWinner: boolean;
                opened: number;
                /** @description What the test counts, as a fraction of `sent`. */
                rate: number;
                recipients: number;
                sent: number;
                /** @description Whether the rate is higher than all others at a level of 95%. */
                significant: boolean;
            }[];
        };
        CampaignStatsInput: {
            bouncedCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            bounceRate: number;
            /** @description Emails that were canceled with the campaign, or because the contact unsubscribed before it was sent. */
            cancelledCount: number;
            clickedCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            clickRate: number;
            complainedCount: number;
            deliveredCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            deliveryRate: number;
            /** @description Emails that failed, without those in `unknownCount`. */
            failedCount: number;
            /** @description Recipients without a known time zone, of a campaign in waves. */
            fallbackZone: number;
            openedCount: number;
            /** @description A fraction of `sentCount`. 0 if nothing was sent. */
            openRate: number;
            /** @description Emails that are not sent yet. */
            pendingCount: number;
            sentCount: number;
            totalRecipients: number;
            /** @description Emails that failed because a crash hid whether the mail server accepted them (`AMBIGUOUS_SEND=skip`). */
            unknownCount: number;
            /** @description Recipients who used the unsubscribe link, the preferences page, or one-click unsubscribe. */
            unsubscribedCount: number;
            /** @description The results of variants, without the rest of the audience. Empty without variants. */
            variants: {
                clicked: number;
                /** @description Recipients who had the event of the metric after their email. */
                converted: number;
                delivered: number;
                failed: number;
                id: string;
                /** @description Wilson's confidence interval of the rate, for 95%. */
                interval: {
                    high: number;
                    low: number;
                };
                isWinner: boolean;
                opened: number;
                /** @description What the test counts, as a fraction of `sent`. */
                rate: number;
                recipients: number;
                sent: number;
                /** @description Whether the rate is higher than all others at a level of 95%. */
                significant: boolean;
            }[];
        };
        CampaignWaves: {
            data: {
                /**
                 * Format: date-time
                 * @description When the emails are due.
                 */
                at: string;
                /** @description Recipients without a known time zone, for whom `fallbackTimezone` counts. */
                fallback: number;
                /** @description Emails that the mail server accepted. */
                sent: number;
                /** @description Recipients. */
                total: number;
                /** @description The time zones of the recipients, that with the most first. */
                zones: string[];
            }[];
            /** @description Whether the waves can still change, because sending has not begun. */
            isForecast: boolean;
        };
        CampaignWavesInput: {
            data: {
                /**
                 * Format: date-time
                 * @description When the emails are due.
                 */
                at: string;
                /** @description Recipients without a known time zone, for whom `fallbackTimezone` counts. */
                fallback: number;
                /** @description Emails that the mail server accepted. */
                sent: number;
                /** @description Recipients. */
                total: number;
                /** @description The time zones of the recipients, that with the most first. */
                zones: string[];
            }[];
            /** @description Whether the waves can still change, because sending has not begun. */
            isForecast: boolean;
        };
        ConditionFilter: {
            /** @description `email`, `subscribed`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`, `email.sent|delivered|opened|clicked|bounced|complained`, or `segment.<id>`. A path has at most 64 keys. */
            field: string;
            /**
             * @description `equals`, `notEquals`: email (case-insensitive), subscribed, dates, data. `contains`, `notContains`, `startsWith`, `endsWith`: email, data (case-insensitive). `greaterThan`, `lessThan`, `greaterThanOrEqual`, `lessThanOrEqual`: dates, data; they compare numbers with numbers, dates with dates, and other strings with strings. `in`, `notIn`: email, data. `exists`, `notExists`: data; null does not exist. `within`, `olderThan`: dates, data. `triggered`, `notTriggered`, `triggeredWithin`, `triggeredOlderThan` (at least one such event is older), `notTriggeredWithin`: events, emails. `memberOfSegment`, `notMemberOfSegment`: segments. A missing value matches only `notEquals`, `notContains`, `notIn`, and `notExists`.
             * @enum {string}
             */
            operator: "equals" | "notEquals" | "contains" | "notContains" | "startsWith" | "endsWith" | "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual" | "in" | "notIn" | "exists" | "notExists" | "within" | "olderThan" | "triggered" | "notTriggered" | "triggeredWithin" | "triggeredOlderThan" | "notTriggeredWithin" | "memberOfSegment" | "notMemberOfSegment";
            /** @description The unit of the number for `within`, `olderThan`, `triggeredWithin`, `triggeredOlderThan`, and `notTriggeredWithin`. */
            unit?: ("minutes" | "hours" | "days") | null;
            /** @description The operand of the operator. A date without a time is that UTC day. A list has at most 1,000 entries. */
            value?: unknown;
        };
        ConditionFilterInput: {
            /** @description `email`, `subscribed`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`, `email.sent|delivered|opened|clicked|bounced|complained`, or `segment.<id>`. A path has at most 64 keys. */
            field: string;
            /**
             * @description `equals`, `notEquals`: email (case-insensitive), subscribed, dates, data. `contains`, `notContains`, `startsWith`, `endsWith`: email, data (case-insensitive). `greaterThan`, `lessThan`, `greaterThanOrEqual`, `lessThanOrEqual`: dates, data; they compare numbers with numbers, dates with dates, and other strings with strings. `in`, `notIn`: email, data. `exists`, `notExists`: data; null does not exist. `within`, `olderThan`: dates, data. `triggered`, `notTriggered`, `triggeredWithin`, `triggeredOlderThan` (at least one such event is older), `notTriggeredWithin`: events, emails. `memberOfSegment`, `notMemberOfSegment`: segments. A missing value matches only `notEquals`, `notContains`, `notIn`, and `notExists`.
             * @enum {string}
             */
            operator: "equals" | "notEquals" | "contains" | "notContains" | "startsWith" | "endsWith" | "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual" | "in" | "notIn" | "exists" | "notExists" | "within" | "olderThan" | "triggered" | "notTriggered" | "triggeredWithin" | "triggeredOlderThan" | "notTriggeredWithin" | "memberOfSegment" | "notMemberOfSegment";
            /** @description The unit of the number for `within`, `olderThan`, `triggeredWithin`, `triggeredOlderThan`, and `notTriggeredWithin`. */
            unit?: ("minutes" | "hours" | "days") | null;
            /** @description The operand of the operator. A date without a time is that UTC day. A list has at most 1,000 entries. */
            value?: unknown;
        };
        /** @description Matches if all its filters and its nested tree match. */
        ConditionGroup: {
            conditions?: components["schemas"]["ConditionTree"] | null;
            /** @description Optional if `conditions` is given. */
            filters?: components["schemas"]["ConditionFilter"][];
        };
        /** @description Matches if all its filters and its nested tree match. */
        ConditionGroupInput: {
            conditions?: components["schemas"]["ConditionTreeInput"] | null;
            /** @description Optional if `conditions` is given. */
            filters?: components["schemas"]["ConditionFilterInput"][];
        };
        /** @description A condition on contacts with at most 5 levels and 100 filters. A group without filters is ignored. A tree without filters matches every contact. */
        ConditionTree: {
            groups: components["schemas"]["ConditionGroup"][];
            /**
             * @description Combines the groups.
             * @enum {string}
             */
            logic: "AND" | "OR";
        };
        /** @description A condition on contacts with at most 5 levels and 100 filters. A group without filters is ignored. A tree without filters matches every contact. */
        ConditionTreeInput: {
            groups: components["schemas"]["ConditionGroupInput"][];
            /**
             * @description Combines the groups.
             * @enum {string}
             */
            logic: "AND" | "OR";
        };
        Configuration: {
            environment: string;
            features: {
                authProviders: {
                    github: boolean;
                    google: boolean;
                };
                billing: boolean;
                signups: boolean;
                smtp: boolean;
                /** @description Whether uploads are stored in object storage. Otherwise, they are stored on the local disk. */
                storage: boolean;
            };
            limits: {
                /** @description The decoded size of all attachments of an email together. */
                attachmentBytes: number;
                /** @description The attachments of an email. */
                attachments: number;
                /** @description The size of an uploaded image. */
                imageBytes: number;
                /** @description The size of an imported file. */
                importBytes: number;
                /** @description The recipients of one `POST /v1/send`. */
                recipients: number;
            };
            links: {
                /** @description The API reference. */
                docs: string;
                /** @description The inbox of the embedded SMTP server, or null without it. */
                inbox: string | null;
                /** @description Temporal's Web UI: that of the embedded server or `TEMPORAL_UI_URL`, otherwise null. */
                temporal: string | null;
                /** @description The start of the address of a workflow in Temporal's Web UI. The id follows, percent-encoded. */
                temporalWorkflows: string | null;
            };
            urls: {
                api: string;
                dashboard: string;
            };
            version: string;
        };
        ConfigurationInput: {
            environment: string;
            features: {
                authProviders: {
                    github: boolean;
                    google: boolean;
                };
                billing: boolean;
                signups: boolean;
                smtp: boolean;
                /** @description Whether uploads are stored in object storage. Otherwise, they are stored on the local disk. */
                storage: boolean;
            };
            limits: {
                /** @description The decoded size of all attachments of an email together. */
                attachmentBytes: number;
                /** @description The attachments of an email. */
                attachments: number;
                /** @description The size of an uploaded image. */
                imageBytes: number;
                /** @description The size of an imported file. */
                importBytes: number;
                /** @description The recipients of one `POST /v1/send`. */
                recipients: number;
            };
            links: {
                /** @description The API reference. */
                docs: string;
                /** @description The inbox of the embedded SMTP server, or null without it. */
                inbox: string | null;
                /** @description Temporal's Web UI: that of the embedded server or `TEMPORAL_UI_URL`, otherwise null. */
                temporal: string | null;
                /** @description The start of the address of a workflow in Temporal's Web UI. The id follows, percent-encoded. */
                temporalWorkflows: string | null;
            };
            urls: {
                api: string;
                dashboard: string;
            };
            version: string;
        };
        Contact: {
            /** Format: date-time */
            createdAt: string;
            data: {
                [key: string]: unknown;
            };
            /** @description In lowercase. Unique in the project. */
            email: string;
            id: string;
            /** @description The time until which the contact is unsubscribed. The contact is then subscribed again. */
            snoozedUntil: string | null;
            subscribed: boolean;
            /** @description The IANA time zone of the contact. It is also the field `timezone` of the data. */
            timezone: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        ContactExecution: {
            completedAt: string | null;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            workflowId: string;
            workflowName: string;
        };
        ContactExecutionInput: {
            completedAt: string | null;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            workflowId: string;
            workflowName: string;
        };
        ContactFieldUsage: {
            canDelete: boolean;
            contactCount: number;
            /** @description Campaigns that are DRAFT, SCHEDULED, or SENDING. */
            usedInCampaigns: {
                id: string;
                name: string;
            }[];
            usedInSegments: {
                id: string;
                name: string;
            }[];
            usedInWorkflows: {
                id: string;
                name: string;
            }[];
        };
        ContactFieldUsageInput: {
            canDelete: boolean;
            contactCount: number;
            /** @description Campaigns that are DRAFT, SCHEDULED, or SENDING. */
            usedInCampaigns: {
                id: string;
                name: string;
            }[];
            usedInSegments: {
                id: string;
                name: string;
            }[];
            usedInWorkflows: {
                id: string;
                name: string;
            }[];
        };
        ContactGrowth: {
            /** @description Existing contacts that were created on the day. */
            created: number;
            /** Format: date */
            date: string;
            /** @description Changes of existing contacts to subscribed. */
            subscribed: number;
            /** @description Existing contacts that were created until the end of the day. */
            total: number;
            /** @description Changes of existing contacts to unsubscribed. */
            unsubscribed: number;
        };
        ContactGrowthInput: {
            /** @description Existing contacts that were created on the day. */
            created: number;
            /** Format: date */
            date: string;
            /** @description Changes of existing contacts to subscribed. */
            subscribed: number;
            /** @description Existing contacts that were created until the end of the day. */
            total: number;
            /** @description Changes of existing contacts to unsubscribed. */
            unsubscribed: number;
        };
        ContactInput: {
            /** Format: date-time */
            createdAt: string;
            data: {
                [key: string]: unknown;
            };
            /** @description In lowercase. Unique in the project. */
            email: string;
            id: string;
            /** @description The time until which the contact is unsubscribed. The contact is then subscribed again. */
            snoozedUntil: string | null;
            subscribed: boolean;
            /** @description The IANA time zone of the contact. It is also the field `timezone` of the data. */
            timezone: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        ContactPreview: {
            filters: {
                /** @description The place of a filter, such as `groups.0.filters.1`. */
                path: string;
                total: number;
            }[];
            /** @description The places of the filters that are ignored. */
            incomplete: string[];
            /** @description Up to 10 contacts that match, newest first. */
            sample: components["schemas"]["Contact"][];
            total: number;
        };
        ContactPreviewInput: {
            filters: {
                /** @description The place of a filter, such as `groups.0.filters.1`. */
                path: string;
                total: number;
            }[];
            /** @description The places of the filters that are ignored. */
            incomplete: string[];
            /** @description Up to 10 contacts that match, newest first. */
            sample: components["schemas"]["ContactInput"][];
            total: number;
        };
        ContactQuery: {
            condition?: components["schemas"]["ConditionTree"];
            /** @description The cursor of the previous page, with the same query and order. */
            cursor?: string;
            /**
             * @default desc
             * @enum {string}
             */
            dir: "asc" | "desc";
            /** @default 50 */
            limit: number;
            /** @description The zero-based rank of the first contact of the page. Not together with `cursor`. */
            position?: number;
            /** @description A part of the address. Case-insensitive. */
            search?: string;
            /** @description A segment of any type. Not together with `condition`. */
            segmentId?: string;
            /**
             * @default createdAt
             * @enum {string}
             */
            sort: "createdAt" | "email";
            /**
             * @description Snoozed contacts are also unsubscribed.
             * @enum {string}
             */
            status?: "subscribed" | "unsubscribed" | "snoozed";
        };
        ContactQueryInput: {
            condition?: components["schemas"]["ConditionTreeInput"];
            /** @description The cursor of the previous page, with the same query and order. */
            cursor?: string;
            /**
             * @default desc
             * @enum {string}
             */
            dir?: "asc" | "desc";
            /** @default 50 */
            limit?: number;
            /** @description The zero-based rank of the first contact of the page. Not together with `cursor`. */
            position?: number;
            /** @description A part of the address. Case-insensitive. */
            search?: string;
            /** @description A segment of any type. Not together with `condition`. */
            segmentId?: string;
            /**
             * @default createdAt
             * @enum {string}
             */
            sort?: "createdAt" | "email";
            /**
             * @description Snoozed contacts are also unsubscribed.
             * @enum {string}
             */
            status?: "subscribed" | "unsubscribed" | "snoozed";
        };
        CurrentUser: {
            email: string;
            emailVerified: boolean;
            id: string;
        };
        CurrentUserInput: {
            email: string;
            emailVerified: boolean;
            id: string;
        };
        /**
         * @description A document of the block editor: at most 500 blocks, 6 levels, and 500,000 characters of JSON.
         * @example {
         *       "version": 1,
         *       "blocks": [
         *         {
         *           "id": "title",
         *           "type": "heading",
         *           "level": 1,
         *           "content": [
         *             {
         *               "type": "text",
         *               "text": "Hello "
         *             },
         *             {
         *               "type": "variable",
         *               "name": "firstName",
         *               "fallback": "friend"
         *             }
         *           ]
         *         },
         *         {
         *           "id": "buy",
         *           "type": "button",
         *           "content": [
         *             {
         *               "type": "text",
         *               "text": "Buy"
         *             }
         *           ],
         *           "href": "https://example.com/buy"
         *         },
         *         {
         *           "id": "end",
         *           "type": "footer"
         *         }
         *       ]
         *     }
         */
        Design: {
            blocks: components["schemas"]["DesignBlock"][];
            settings?: components["schemas"]["DesignSettings"] | null;
            /**
             * @description The version of this schema.
             * @constant
             */
            version: 1;
        };
        /** @description A block of a design. Its fields depend on `type`. */
        DesignBlock: components["schemas"]["DesignHeading"] | components["schemas"]["DesignText"] | components["schemas"]["DesignButton"] | components["schemas"]["DesignImage"] | components["schemas"]["DesignDivider"] | components["schemas"]["DesignSpacer"] | components["schemas"]["DesignList"] | components["schemas"]["DesignSocial"] | components["schemas"]["DesignHtml"] | components["schemas"]["DesignFooter"] | components["schemas"]["DesignColumns"] | components["schemas"]["DesignConditional"];
        /** @description A block of a design. Its fields depend on `type`. */
        DesignBlockInput: components["schemas"]["DesignHeadingInput"] | components["schemas"]["DesignTextInput"] | components["schemas"]["DesignButtonInput"] | components["schemas"]["DesignImageInput"] | components["schemas"]["DesignDividerInput"] | components["schemas"]["DesignSpacerInput"] | components["schemas"]["DesignListInput"] | components["schemas"]["DesignSocialInput"] | components["schemas"]["DesignHtmlInput"] | components["schemas"]["DesignFooterInput"] | components["schemas"]["DesignColumnsInput"] | components["schemas"]["DesignConditionalInput"];
        DesignButton: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description By default, the color of the brand. */
            buttonColor?: string | null;
            content: components["schemas"]["DesignInline"][];
            /** @description A URL, or a template that prints one. */
            href: string;
            /** @description Stable, and unique in the design. */
            id: string;
            isFullWidth?: boolean | null;
            /** @description The name of the link in the reports of campaigns (`data-link`). */
            label?: string | null;
            radius?: number | null;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @description By default, black or white. */
            textColor?: string | null;
            /** @description False excludes the link from click tracking. True by default. */
            tracked?: boolean | null;
            /** @constant */
            type: "button";
        };
        DesignButtonInput: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description By default, the color of the brand. */
            buttonColor?: string | null;
            content: components["schemas"]["DesignInlineInput"][];
            /** @description A URL, or a template that prints one. */
            href: string;
            /** @description Stable, and unique in the design. */
            id: string;
            isFullWidth?: boolean | null;
            /** @description The name of the link in the reports of campaigns (`data-link`). */
            label?: string | null;
            radius?: number | null;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @description By default, black or white. */
            textColor?: string | null;
            /** @description False excludes the link from click tracking. True by default. */
            tracked?: boolean | null;
            /** @constant */
            type: "button";
        };
        /** @description Side by side on wide screens, and one below the other on phones. */
        DesignColumns: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description The blocks of each column, without other columns. */
            columns: components["schemas"]["DesignBlock"][][];
            /** @description The space between columns, in pixels. */
            gap?: number | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "columns";
            verticalAlign?: ("top" | "middle" | "bottom") | null;
            /** @description The width of each column in percent. Equal by default. */
            widths?: number[] | null;
        };
        /** @description Side by side on wide screens, and one below the other on phones. */
        DesignColumnsInput: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description The blocks of each column, without other columns. */
            columns: components["schemas"]["DesignBlockInput"][][];
            /** @description The space between columns, in pixels. */
            gap?: number | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "columns";
            verticalAlign?: ("top" | "middle" | "bottom") | null;
            /** @description The width of each column in percent. Equal by default. */
            widths?: number[] | null;
        };
        DesignCondition: {
            /** @enum {string} */
            operator: "exists" | "notExists" | "equals" | "notEquals" | "contains" | "notContains" | "greaterThan" | "lessThan";
            /** @constant */
            type: "rule";
            value?: (string | number | boolean) | null;
            variable: string;
        } | {
            /** @description What Liquid accepts after `if`: `plan == "pro" and orders > 3`. */
            expression: string;
            /** @constant */
            type: "liquid";
        };
        DesignConditional: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description Shown if the condition is true. */
            blocks: components["schemas"]["DesignBlock"][];
            condition: components["schemas"]["DesignCondition"];
            /** @description Shown if the condition is false. */
            elseBlocks?: components["schemas"]["DesignBlock"][] | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "conditional";
        };
        DesignConditionalInput: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description Shown if the condition is true. */
            blocks: components["schemas"]["DesignBlockInput"][];
            condition: components["schemas"]["DesignConditionInput"];
            /** @description Shown if the condition is false. */
            elseBlocks?: components["schemas"]["DesignBlockInput"][] | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "conditional";
        };
        DesignConditionInput: {
            /** @enum {string} */
            operator: "exists" | "notExists" | "equals" | "notEquals" | "contains" | "notContains" | "greaterThan" | "lessThan";
            /** @constant */
            type: "rule";
            value?: (string | number | boolean) | null;
            variable: string;
        } | {
            /** @description What Liquid accepts after `if`: `plan == "pro" and orders > 3`. */
            expression: string;
            /** @constant */
            type: "liquid";
        };
        DesignDivider: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            style?: ("solid" | "dashed" | "dotted") | null;
            thickness?: number | null;
            /** @constant */
            type: "divider";
        };
        DesignDividerInput: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            style?: ("solid" | "dashed" | "dotted") | null;
            thickness?: number | null;
            /** @constant */
            type: "divider";
        };
        DesignFooter: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            content?: components["schemas"]["DesignInline"][] | null;
            /** @description Whether the project's postal address is shown. True by default. */
            hasAddress?: boolean | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The text of a link to the preferences. None by default. */
            preferences?: string | null;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "footer";
            /** @description The text of the unsubscribe link. Empty for no link. By default, in the language of the design. */
            unsubscribe?: string | null;
        };
        DesignFooterInput: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            content?: components["schemas"]["DesignInlineInput"][] | null;
            /** @description Whether the project's postal address is shown. True by default. */
            hasAddress?: boolean | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The text of a link to the preferences. None by default. */
            preferences?: string | null;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "footer";
            /** @description The text of the unsubscribe link. Empty for no link. By default, in the language of the design. */
            unsubscribe?: string | null;
        };
        DesignHeading: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            content: components["schemas"]["DesignInline"][];
            /** @description Stable, and unique in the design. */
            id: string;
            level: 1 | 2 | 3;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "heading";
        };
        DesignHeadingInput: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            content: components["schemas"]["DesignInlineInput"][];
            /** @description Stable, and unique in the design. */
            id: string;
            level: 1 | 2 | 3;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "heading";
        };
        DesignHtml: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description Used unchanged. It may contain templates. */
            html: string;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "html";
        };
        DesignHtmlInput: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description Used unchanged. It may contain templates. */
            html: string;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "html";
        };
        DesignImage: {
            align?: ("start" | "center" | "end") | null;
            /** @description Describes the image. Empty for decoration. A missing description is a problem. */
            alt?: string | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            href?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The name of the link in the reports of campaigns (`data-link`). */
            label?: string | null;
            radius?: number | null;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @description A URL, or a template that prints one. Email clients do not show `data:` URLs. */
            src: string;
            /** @description False excludes the link from click tracking. True by default. */
            tracked?: boolean | null;
            /** @constant */
            type: "image";
            /** @description In pixels. By default, the width of the column. */
            width?: number | null;
        };
        DesignImageInput: {
            align?: ("start" | "center" | "end") | null;
            /** @description Describes the image. Empty for decoration. A missing description is a problem. */
            alt?: string | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            href?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The name of the link in the reports of campaigns (`data-link`). */
            label?: string | null;
            radius?: number | null;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @description A URL, or a template that prints one. Email clients do not show `data:` URLs. */
            src: string;
            /** @description False excludes the link from click tracking. True by default. */
            tracked?: boolean | null;
            /** @constant */
            type: "image";
            /** @description In pixels. By default, the width of the column. */
            width?: number | null;
        };
        /** @description A part of a text, or a variable. */
        DesignInline: {
            marks?: components["schemas"]["DesignMark"][] | null;
            /** @description Plain text. Newline characters break the line, and `{{ variable }}` placeholders are kept. */
            text: string;
            /** @constant */
            type: "text";
        } | {
            /** @description Printed for contacts without a value. */
            fallback?: string | null;
            marks?: components["schemas"]["DesignMark"][] | null;
            name: string;
            /** @constant */
            type: "variable";
        };
        /** @description A part of a text, or a variable. */
        DesignInlineInput: {
            marks?: components["schemas"]["DesignMarkInput"][] | null;
            /** @description Plain text. Newline characters break the line, and `{{ variable }}` placeholders are kept. */
            text: string;
            /** @constant */
            type: "text";
        } | {
            /** @description Printed for contacts without a value. */
            fallback?: string | null;
            marks?: components["schemas"]["DesignMarkInput"][] | null;
            name: string;
            /** @constant */
            type: "variable";
        };
        /**
         * @description A document of the block editor: at most 500 blocks, 6 levels, and 500,000 characters of JSON.
         * @example {
         *       "version": 1,
         *       "blocks": [
         *         {
         *           "id": "title",
         *           "type": "heading",
         *           "level": 1,
         *           "content": [
         *             {
         *               "type": "text",
         *               "text": "Hello "
         *             },
         *             {
         *               "type": "variable",
         *               "name": "firstName",
         *               "fallback": "friend"
         *             }
         *           ]
         *         },
         *         {
         *           "id": "buy",
         *           "type": "button",
         *           "content": [
         *             {
         *               "type": "text",
         *               "text": "Buy"
         *             }
         *           ],
         *           "href": "https://example.com/buy"
         *         },
         *         {
         *           "id": "end",
         *           "type": "footer"
         *         }
         *       ]
         *     }
         */
        DesignInput: {
            blocks: components["schemas"]["DesignBlockInput"][];
            settings?: components["schemas"]["DesignSettingsInput"] | null;
            /**
             * @description The version of this schema.
             * @constant
             */
            version: 1;
        };
        DesignList: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            isOrdered?: boolean | null;
            items: components["schemas"]["DesignInline"][][];
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "list";
        };
        DesignListInput: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            isOrdered?: boolean | null;
            items: components["schemas"]["DesignInlineInput"][][];
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "list";
        };
        /** @description The formatting of a part of a text. */
        DesignMark: {
            /** @enum {string} */
            type: "bold" | "italic" | "underline" | "strike";
        } | {
            /** @description A URL, or a template that prints one. */
            href: string;
            /** @description The name of the link in the reports of campaigns (`data-link`). */
            label?: string | null;
            /** @description False excludes the link from click tracking. True by default. */
            tracked?: boolean | null;
            /** @constant */
            type: "link";
        } | {
            color: string;
            /** @constant */
            type: "color";
        };
        /** @description The formatting of a part of a text. */
        DesignMarkInput: {
            /** @enum {string} */
            type: "bold" | "italic" | "underline" | "strike";
        } | {
            /** @description A URL, or a template that prints one. */
            href: string;
            /** @description The name of the link in the reports of campaigns (`data-link`). */
            label?: string | null;
            /** @description False excludes the link from click tracking. True by default. */
            tracked?: boolean | null;
            /** @constant */
            type: "link";
        } | {
            color: string;
            /** @constant */
            type: "color";
        };
        DesignSettings: {
            contentColor?: string | null;
            /** @description By default, the direction of the language. */
            direction?: ("ltr" | "rtl") | null;
            font?: ("sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "times" | "trebuchet" | "verdana") | null;
            fontSize?: number | null;
            /** @description By default, the language of the project. */
            language?: string | null;
            /** @description By default, the color of the brand. */
            linkColor?: string | null;
            /** @description Where the brand's logo is shown, above all blocks. By default, it is not shown. */
            logo?: ("start" | "center" | "end") | null;
            /** @description Around the content. Dark mode replaces the colors of page, content, and text. */
            pageColor?: string | null;
            textColor?: string | null;
        };
        DesignSettingsInput: {
            contentColor?: string | null;
            /** @description By default, the direction of the language. */
            direction?: ("ltr" | "rtl") | null;
            font?: ("sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "times" | "trebuchet" | "verdana") | null;
            fontSize?: number | null;
            /** @description By default, the language of the project. */
            language?: string | null;
            /** @description By default, the color of the brand. */
            linkColor?: string | null;
            /** @description Where the brand's logo is shown, above all blocks. By default, it is not shown. */
            logo?: ("start" | "center" | "end") | null;
            /** @description Around the content. Dark mode replaces the colors of page, content, and text. */
            pageColor?: string | null;
            textColor?: string | null;
        };
        /** @description Links to social networks. */
        DesignSocial: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            links: {
                /** @description A URL, or a template that prints one. */
                href: string;
                /** @description Shown instead of the name, 24 pixels wide. */
                icon?: string | null;
                /** @description The name of the link in the reports of campaigns (`data-link`). */
                label?: string | null;
                /** @description The name of the network, shown as text or as the `alt` text. */
                name: string;
                /** @description False excludes the link from click tracking. True by default. */
                tracked?: boolean | null;
            }[];
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "social";
        };
        /** @description Links to social networks. */
        DesignSocialInput: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            /** @description Stable, and unique in the design. */
            id: string;
            links: {
                /** @description A URL, or a template that prints one. */
                href: string;
                /** @description Shown instead of the name, 24 pixels wide. */
                icon?: string | null;
                /** @description The name of the link in the reports of campaigns (`data-link`). */
                label?: string | null;
                /** @description The name of the network, shown as text or as the `alt` text. */
                name: string;
                /** @description False excludes the link from click tracking. True by default. */
                tracked?: boolean | null;
            }[];
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "social";
        };
        DesignSpacer: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            height: number;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "spacer";
        };
        DesignSpacerInput: {
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            height: number;
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "spacer";
        };
        /** @description A paragraph. */
        DesignText: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            content: components["schemas"]["DesignInline"][];
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "text";
        };
        /** @description A paragraph. */
        DesignTextInput: {
            align?: ("start" | "center" | "end") | null;
            /** @description The background of the block, in light and dark mode. */
            background?: string | null;
            color?: string | null;
            content: components["schemas"]["DesignInlineInput"][];
            /** @description Stable, and unique in the design. */
            id: string;
            /** @description The space inside the block, above and below its content, in pixels. */
            spacing?: {
                bottom: number;
                top: number;
            } | null;
            /** @constant */
            type: "text";
        };
        Domain: {
            /** @description What senders of bulk email should change. The domain can be used without it. */
            advice: components["schemas"]["DomainAdvice"][];
            /** Format: date-time */
            createdAt: string;
            /** @description The domain in ASCII and lowercase. */
            domain: string;
            id: string;
            /** @description The time of the last check with a DNS response. */
            lastCheckedAt: string | null;
            projectId: string;
            records: components["schemas"]["DomainRecord"][];
            /**
             * @description FAILED: the DKIM record is correct, but the domain is verified in another project.
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            verified: boolean;
            verifiedAt: string | null;
        };
        DomainAdvice: {
            /**
             * @description dmarc_missing: at the last check, the DNS had no valid DMARC record for the domain.
             * @enum {string}
             */
            code: "dmarc_missing";
            message: string;
        };
        DomainAdviceInput: {
            /**
             * @description dmarc_missing: at the last check, the DNS had no valid DMARC record for the domain.
             * @enum {string}
             */
            code: "dmarc_missing";
            message: string;
        };
        DomainInput: {
            /** @description What senders of bulk email should change. The domain can be used without it. */
            advice: components["schemas"]["DomainAdviceInput"][];
            /** Format: date-time */
            createdAt: string;
            /** @description The domain in ASCII and lowercase. */
            domain: string;
            id: string;
            /** @description The time of the last check with a DNS response. */
            lastCheckedAt: string | null;
            projectId: string;
            records: components["schemas"]["DomainRecordInput"][];
            /**
             * @description FAILED: the DKIM record is correct, but the domain is verified in another project.
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            verified: boolean;
            verifiedAt: string | null;
        };
        DomainRecord: {
            /**
             * @description What the DNS answered for this name at the last check, including records of other services. A domain without a DMARC record of its own has that of a parent domain.
             * @example [
             *       "v=spf1 include:_spf.example.net ~all"
             *     ]
             */
            found: string[];
            /** @description The full name, without a final dot. */
            name: string;
            /** @enum {string} */
            purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH";
            /** @description True only for the DKIM record, which alone decides whether the domain is verified. The other records are recommended. */
            required: boolean;
            /**
             * @description PENDING: not found yet. VERIFIED: found and correct. FAILED: another value is published under this name.
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            /** @enum {string} */
            type: "TXT" | "CNAME";
            value: string;
        };
        DomainRecordInput: {
            /**
             * @description What the DNS answered for this name at the last check, including records of other services. A domain without a DMARC record of its own has that of a parent domain.
             * @example [
             *       "v=spf1 include:_spf.example.net ~all"
             *     ]
             */
            found: string[];
            /** @description The full name, without a final dot. */
            name: string;
            /** @enum {string} */
            purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH";
            /** @description True only for the DKIM record, which alone decides whether the domain is verified. The other records are recommended. */
            required: boolean;
            /**
             * @description PENDING: not found yet. VERIFIED: found and correct. FAILED: another value is published under this name.
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            /** @enum {string} */
            type: "TXT" | "CNAME";
            value: string;
        };
        Email: {
            /** @description Whether the mail server accepted the email is unknown, because of a crash or a broken connection after the content. See AMBIGUOUS_SEND. */
            ambiguous: boolean;
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient`. */
            bounceType: string | null;
            campaignId: string | null;
            /** @description The addresses in its header Cc. */
            cc: string[];
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            contactId: string | null;
            /** @description The emails that are copies of it. */
            copies: string[];
            /** @description The email of which it is a copy, for an address in `cc` or `bcc`. */
            copyOf: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            error: string | null;
            executionId: string | null;
            from: string;
            fromName: string | null;
            group: string | null;
            id: string;
            machineClicks: number;
            /** @description Opens by scanners, prefetchers, and proxies. `opens` counts people only. */
            machineOpens: number;
            /** @description The Message-ID header, which is the same for every attempt. */
            messageId: string;
            /** @description Null unless the status is PENDING or SCHEDULED. Also null for an email of a campaign that waits for its first attempt. */
            nextAttemptAt: string | null;
            openedAt: string | null;
            opens: number;
            replyTo: string | null;
            /** @description The mail server's reply. */
            response: string | null;
            /** @description The time for which it was scheduled, and its header Date. */
            scheduledFor: string | null;
            sentAt: string | null;
            /** @enum {string} */
            source: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST" | "PLATFORM";
            /** @enum {string} */
            status: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
            /** @description `unknown` if the status is FAILED because a crash hid whether the mail server accepted the email. Null otherwise. */
            statusDetail: "unknown" | null;
            /** @description As the recipient sees it: rendered with the variables of the email and the present data of the contact. */
            subject: string;
            tags: string[];
            templateId: string | null;
            to: string;
            toName: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** @description The variant of a campaign's test. Null for other emails, and for those of contacts that got the winner. */
            variant: string | null;
            workflowId: string | null;
        };
        EmailContent: {
            /** @description False if the data of the contact has changed since the email was sent, or the contact was deleted. */
            exact: boolean;
            /** @description In their order, unfolded and not decoded, without the signature. */
            headers: {
                name: string;
                value: string;
            }[];
            html: string;
            subject: string;
            text: string;
        };
        EmailContentInput: {
            /** @description False if the data of the contact has changed since the email was sent, or the contact was deleted. */
            exact: boolean;
            /** @description In their order, unfolded and not decoded, without the signature. */
            headers: {
                name: string;
                value: string;
            }[];
            html: string;
            subject: string;
            text: string;
        };
        EmailEvents: {
            attempts: {
                /** @description Null for an attempt of an earlier version. */
                at: string | null;
                error: string | null;
                number: number;
                /**
                 * @description DEFERRED: the email was due again later. UNKNOWN: the reply was lost.
                 * @enum {string}
                 */
                outcome: "SENT" | "DEFERRED" | "FAILED" | "UNKNOWN";
                /** @description The mail server's reply. */
                response: string | null;
            }[];
            hits: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                kind: "open" | "click";
                /** @description The `data-link` of the clicked link. */
                label: string | null;
                machine: boolean;
                /** @description Why the hit is that of a machine, or how a person was recognized. */
                reason: string | null;
                url: string | null;
                userAgent: string | null;
            }[];
        };
        EmailEventsInput: {
            attempts: {
                /** @description Null for an attempt of an earlier version. */
                at: string | null;
                error: string | null;
                number: number;
                /**
                 * @description DEFERRED: the email was due again later. UNKNOWN: the reply was lost.
                 * @enum {string}
                 */
                outcome: "SENT" | "DEFERRED" | "FAILED" | "UNKNOWN";
                /** @description The mail server's reply. */
                response: string | null;
            }[];
            hits: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                kind: "open" | "click";
                /** @description The `data-link` of the clicked link. */
                label: string | null;
                machine: boolean;
                /** @description Why the hit is that of a machine, or how a person was recognized. */
                reason: string | null;
                url: string | null;
                userAgent: string | null;
            }[];
        };
        EmailFigures: {
            bounces: number;
            /** @description Emails in which a person clicked a link. */
            clicks: number;
            complaints: number;
            delivered: number;
            /** @description Emails in which a scanner clicked a link. */
            machineClicks: number;
            /** @description Emails that a scanner, prefetcher, or proxy opened. */
            machineOpens: number;
            /** @description Emails that a person opened. */
            opens: number;
            sent: number;
            /** @description Emails by whose links the recipient unsubscribed. */
            unsubscribes: number;
        };
        EmailFiguresInput: {
            bounces: number;
            /** @description Emails in which a person clicked a link. */
            clicks: number;
            complaints: number;
            delivered: number;
            /** @description Emails in which a scanner clicked a link. */
            machineClicks: number;
            /** @description Emails that a scanner, prefetcher, or proxy opened. */
            machineOpens: number;
            /** @description Emails that a person opened. */
            opens: number;
            sent: number;
            /** @description Emails by whose links the recipient unsubscribed. */
            unsubscribes: number;
        };
        EmailInput: {
            /** @description Whether the mail server accepted the email is unknown, because of a crash or a broken connection after the content. See AMBIGUOUS_SEND. */
            ambiguous: boolean;
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient`. */
            bounceType: string | null;
            campaignId: string | null;
            /** @description The addresses in its header Cc. */
            cc: string[];
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            contactId: string | null;
            /** @description The emails that are copies of it. */
            copies: string[];
            /** @description The email of which it is a copy, for an address in `cc` or `bcc`. */
            copyOf: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            error: string | null;
            executionId: string | null;
            from: string;
            fromName: string | null;
            group: string | null;
            id: string;
            machineClicks: number;
            /** @description Opens by scanners, prefetchers, and proxies. `opens` counts people only. */
            machineOpens: number;
            /** @description The Message-ID header, which is the same for every attempt. */
            messageId: string;
            /** @description Null unless the status is PENDING or SCHEDULED. Also null for an email of a campaign that waits for its first attempt. */
            nextAttemptAt: string | null;
            openedAt: string | null;
            opens: number;
            replyTo: string | null;
            /** @description The mail server's reply. */
            response: string | null;
            /** @description The time for which it was scheduled, and its header Date. */
            scheduledFor: string | null;
            sentAt: string | null;
            /** @enum {string} */
            source: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST" | "PLATFORM";
            /** @enum {string} */
            status: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
            /** @description `unknown` if the status is FAILED because a crash hid whether the mail server accepted the email. Null otherwise. */
            statusDetail: "unknown" | null;
            /** @description As the recipient sees it: rendered with the variables of the email and the present data of the contact. */
            subject: string;
            tags: string[];
            templateId: string | null;
            to: string;
            toName: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** @description The variant of a campaign's test. Null for other emails, and for those of contacts that got the winner. */
            variant: string | null;
            workflowId: string | null;
        };
        EmailVerification: {
            /** @description The domain has NS, SOA, A, AAAA, or MX records. Also false if the DNS did not respond. */
            domainExists: boolean;
            /** @description The normalized address: trimmed, in lowercase, with the domain in ASCII. */
            email: string;
            /** @description The domain has MX records. A null MX does not count. */
            hasMxRecords: boolean;
            /** @description The domain, or `www.` and the domain, has an A or AAAA record. */
            hasWebsite: boolean;
            /** @description The domain or a parent domain belongs to a forwarding service (SimpleLogin, addy.io, DuckDuckGo, Firefox Relay, Hide My Email, …). */
            isAlias: boolean;
            /** @description The domain or a parent domain belongs to a disposable address service. */
            isDisposable: boolean;
            /** @description The domain is a provider of personal mailboxes (Gmail, Outlook, Yahoo, …). False for disposable addresses, aliases, and typos. */
            isPersonalEmail: boolean;
            /** @description The address has the form `name+tag@…`. */
            isPlusAddressed: boolean;
            /** @description The domain looks like a misspelled domain of a large provider. `reasons` has the suggested address. Always false for a provider's own domain. */
            isTypo: boolean;
            /** @description Sentences that explain the result: first the reason for `valid`, then other findings and DNS lookups without a response. */
            reasons: string[];
            /** @description Whether the domain exists and accepts email: through MX records, or without them at its own address, but not with a null MX. The mailbox itself is not checked. */
            valid: boolean;
        };
        EmailVerificationInput: {
            /** @description The domain has NS, SOA, A, AAAA, or MX records. Also false if the DNS did not respond. */
            domainExists: boolean;
            /** @description The normalized address: trimmed, in lowercase, with the domain in ASCII. */
            email: string;
            /** @description The domain has MX records. A null MX does not count. */
            hasMxRecords: boolean;
            /** @description The domain, or `www.` and the domain, has an A or AAAA record. */
            hasWebsite: boolean;
            /** @description The domain or a parent domain belongs to a forwarding service (SimpleLogin, addy.io, DuckDuckGo, Firefox Relay, Hide My Email, …). */
            isAlias: boolean;
            /** @description The domain or a parent domain belongs to a disposable address service. */
            isDisposable: boolean;
            /** @description The domain is a provider of personal mailboxes (Gmail, Outlook, Yahoo, …). False for disposable addresses, aliases, and typos. */
            isPersonalEmail: boolean;
            /** @description The address has the form `name+tag@…`. */
            isPlusAddressed: boolean;
            /** @description The domain looks like a misspelled domain of a large provider. `reasons` has the suggested address. Always false for a provider's own domain. */
            isTypo: boolean;
            /** @description Sentences that explain the result: first the reason for `valid`, then other findings and DNS lookups without a response. */
            reasons: string[];
            /** @description Whether the domain exists and accepts email: through MX records, or without them at its own address, but not with a null MX. The mailbox itself is not checked. */
            valid: boolean;
        };
        Error: {
            error: {
                /** @description `VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED`, … */
                code: string;
                details?: {
                    [key: string]: unknown;
                };
                errors?: {
                    code: string;
                    /** @description The path of the field, such as `to.0.email`. */
                    field: string;
                    message: string;
                    received?: unknown;
                }[];
                message: string;
                /** @description The request id, which is also in the server's log. */
                requestId: string;
                statusCode: number;
                suggestion?: string;
            };
            /** @constant */
            success: false;
            /** Format: date-time */
            timestamp: string;
        };
        ErrorInput: {
            error: {
                /** @description `VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED`, … */
                code: string;
                details?: {
                    [key: string]: unknown;
                };
                errors?: {
                    code: string;
                    /** @description The path of the field, such as `to.0.email`. */
                    field: string;
                    message: string;
                    received?: unknown;
                }[];
                message: string;
                /** @description The request id, which is also in the server's log. */
                requestId: string;
                statusCode: number;
                suggestion?: string;
            };
            /** @constant */
            success: false;
            /** Format: date-time */
            timestamp: string;
        };
        Event: {
            /** @description Only with `include=contact`: the current address of the contact. Null for events without a contact. */
            contactEmail?: string | null;
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The data of the event, including one-time values. */
            data: {
                [key: string]: unknown;
            };
            /** @description The email of `email.*` events. */
            emailId: string | null;
            id: string;
            name: string;
        };
        EventDays: {
            /** @description `2026-03-10` */
            days: string[];
            /** @description The most frequent name first. */
            events: {
                /** @description One per day. */
                counts: number[];
                name: string;
            }[];
        };
        EventDaysInput: {
            /** @description `2026-03-10` */
            days: string[];
            /** @description The most frequent name first. */
            events: {
                /** @description One per day. */
                counts: number[];
                name: string;
            }[];
        };
        EventInput: {
            /** @description Only with `include=contact`: the current address of the contact. Null for events without a contact. */
            contactEmail?: string | null;
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The data of the event, including one-time values. */
            data: {
                [key: string]: unknown;
            };
            /** @description The email of `email.*` events. */
            emailId: string | null;
            id: string;
            name: string;
        };
        EventUsage: {
            /** @description True if the name is neither reserved nor in use. */
            canDelete: boolean;
            totalCount: number;
            uniqueContacts: number;
            /** @description Campaigns that filter by this event and have not started sending. */
            usedInCampaigns: {
                id: string;
                name: string;
            }[];
            usedInSegments: {
                id: string;
                name: string;
            }[];
            /** @description Workflows that use the event in a trigger, wait, or condition. */
            usedInWorkflows: {
                id: string;
                name: string;
            }[];
        };
        EventUsageInput: {
            /** @description True if the name is neither reserved nor in use. */
            canDelete: boolean;
            totalCount: number;
            uniqueContacts: number;
            /** @description Campaigns that filter by this event and have not started sending. */
            usedInCampaigns: {
                id: string;
                name: string;
            }[];
            usedInSegments: {
                id: string;
                name: string;
            }[];
            /** @description Workflows that use the event in a trigger, wait, or condition. */
            usedInWorkflows: {
                id: string;
                name: string;
            }[];
        };
        Execution: {
            completedAt: string | null;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            workflowId: string;
        };
        ExecutionInput: {
            completedAt: string | null;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            workflowId: string;
        };
        ExecutionWithHistory: {
            completedAt: string | null;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            /** @description In the order of execution. */
            stepExecutions: components["schemas"]["StepExecution"][];
            workflowId: string;
        };
        ExecutionWithHistoryInput: {
            completedAt: string | null;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            /** @description In the order of execution. */
            stepExecutions: components["schemas"]["StepExecutionInput"][];
            workflowId: string;
        };
        ExplainedCondition: {
            groups: components["schemas"]["ExplainedGroup"][];
            matches: boolean;
        };
        ExplainedConditionInput: {
            groups: components["schemas"]["ExplainedGroupInput"][];
            matches: boolean;
        };
        ExplainedFilter: {
            /** @description The value that the filter tests: of an event `{ firstAt, lastAt }`, of a segment whether the contact is in it. Null if the contact has no such value or event. */
            actual: unknown;
            matches: boolean;
            /** @description The place in the condition, such as `groups.0.filters.1`. */
            path: string;
        };
        ExplainedFilterInput: {
            /** @description The value that the filter tests: of an event `{ firstAt, lastAt }`, of a segment whether the contact is in it. Null if the contact has no such value or event. */
            actual: unknown;
            matches: boolean;
            /** @description The place in the condition, such as `groups.0.filters.1`. */
            path: string;
        };
        ExplainedGroup: {
            conditions?: components["schemas"]["ExplainedCondition"];
            filters: components["schemas"]["ExplainedFilter"][];
            matches: boolean;
        };
        ExplainedGroupInput: {
            conditions?: components["schemas"]["ExplainedConditionInput"];
            filters: components["schemas"]["ExplainedFilterInput"][];
            matches: boolean;
        };
        ExportBody: {
            /** @description Required for recipients, and only for them. */
            campaignId?: string;
            /**
             * @default csv
             * @enum {string}
             */
            format: "csv" | "json";
            /** @enum {string} */
            kind: "contacts" | "recipients" | "events" | "suppressions";
            /** @description Only for contacts: all of these must match. A condition and a segment exclude each other. */
            query?: {
                condition?: components["schemas"]["ConditionTree"];
                /** @description Part of the address. Case-insensitive. */
                search?: string;
                segmentId?: string;
                /** @enum {string} */
                status?: "subscribed" | "unsubscribed" | "snoozed";
            };
        };
        ExportBodyInput: {
            /** @description Required for recipients, and only for them. */
            campaignId?: string;
            /**
             * @default csv
             * @enum {string}
             */
            format?: "csv" | "json";
            /** @enum {string} */
            kind: "contacts" | "recipients" | "events" | "suppressions";
            /** @description Only for contacts: all of these must match. A condition and a segment exclude each other. */
            query?: {
                condition?: components["schemas"]["ConditionTreeInput"];
                /** @description Part of the address. Case-insensitive. */
                search?: string;
                segmentId?: string;
                /** @enum {string} */
                status?: "subscribed" | "unsubscribed" | "snoozed";
            };
        };
        ExportReport: {
            /** @description The size of the file. */
            bytes: number;
            /** @description 24 hours after the end of the job. */
            expiresAt: string | null;
            /** @enum {string} */
            format: "csv" | "json";
            /** @description For contacts as CSV: the `mapping` with which an import of the file changes nothing. */
            mapping: {
                [key: string]: {
                    to: string | null;
                    /** @enum {string} */
                    type?: "string" | "number" | "boolean" | "date" | "json";
                };
            } | null;
            rows: number;
            /** @description The signed URL of the file. Null if the job did not complete, and after `expiresAt`. */
            url: string | null;
        };
        ExportReportInput: {
            /** @description The size of the file. */
            bytes: number;
            /** @description 24 hours after the end of the job. */
            expiresAt: string | null;
            /** @enum {string} */
            format: "csv" | "json";
            /** @description For contacts as CSV: the `mapping` with which an import of the file changes nothing. */
            mapping: {
                [key: string]: {
                    to: string | null;
                    /** @enum {string} */
                    type?: "string" | "number" | "boolean" | "date" | "json";
                };
            } | null;
            rows: number;
            /** @description The signed URL of the file. Null if the job did not complete, and after `expiresAt`. */
            url: string | null;
        };
        FlatError: {
            error: string;
        };
        FlatErrorInput: {
            error: string;
        };
        ImageForm: {
            /** Format: binary */
            image: Blob;
        };
        ImageFormInput: {
            /** Format: binary */
            image: Blob;
        };
        ImportForm: {
            /**
             * @description The separator between cells. Default: the first one that gives a valid header, beginning with commas.
             * @enum {string}
             */
            delimiter?: "," | ";" | "\t" | "|";
            /**
             * @description With `true`, the job reports the result that the import would have, and changes nothing.
             * @enum {string}
             */
            dryRun?: "true" | "false";
            /** Format: binary */
            file: Blob;
            /**
             * @description A JSON object with the columns by their names in the header: `{ "<header>": { "to": …, "type": … } }`. `to` is `email`, `subscribed`, `snoozedUntil`, `timezone`, `data.<key>`, `data` (a JSON object with several keys), or null for a column to ignore. `type` of `data.<key>` is `string`, `number`, `boolean`, `date` (ISO 8601), or `json`; without it, values are converted as without a mapping. Columns that are not mentioned are read as without a mapping.
             * @example {"E-Mail":{"to":"email"},"Customer no.":{"to":"data.customerNumber","type":"string"}}
             */
            mapping?: string;
            /**
             * @description With `skip`, rows of existing contacts do not change them. Default: `update`.
             * @enum {string}
             */
            onExisting?: "update" | "skip";
            /** @description A static segment. All contacts of accepted and skipped rows become its members. */
            segmentId?: string;
        };
        ImportFormInput: {
            /**
             * @description The separator between cells. Default: the first one that gives a valid header, beginning with commas.
             * @enum {string}
             */
            delimiter?: "," | ";" | "\t" | "|";
            /**
             * @description With `true`, the job reports the result that the import would have, and changes nothing.
             * @enum {string}
             */
            dryRun?: "true" | "false";
            /** Format: binary */
            file: Blob;
            /**
             * @description A JSON object with the columns by their names in the header: `{ "<header>": { "to": …, "type": … } }`. `to` is `email`, `subscribed`, `snoozedUntil`, `timezone`, `data.<key>`, `data` (a JSON object with several keys), or null for a column to ignore. `type` of `data.<key>` is `string`, `number`, `boolean`, `date` (ISO 8601), or `json`; without it, values are converted as without a mapping. Columns that are not mentioned are read as without a mapping.
             * @example {"E-Mail":{"to":"email"},"Customer no.":{"to":"data.customerNumber","type":"string"}}
             */
            mapping?: string;
            /**
             * @description With `skip`, rows of existing contacts do not change them. Default: `update`.
             * @enum {string}
             */
            onExisting?: "update" | "skip";
            /** @description A static segment. All contacts of accepted and skipped rows become its members. */
            segmentId?: string;
        };
        ImportJob: {
            failedReason: string | null;
            id: string;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the rows that were processed before. */
            result: {
                createdCount: number;
                /** @description The first 1,000 errors. */
                errors: {
                    email: string;
                    error: string;
                    /** @description The line in the file at which the row begins. The header is line 1. */
                    row: number;
                }[];
                failureCount: number;
                /** @description The sum of `createdCount` and `updatedCount`. */
                successCount: number;
                totalRows: number;
                /** @description Rows whose contact already existed, in the project or earlier in the file, including rows without a change. */
                updatedCount: number;
            } | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        ImportJobInput: {
            failedReason: string | null;
            id: string;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the rows that were processed before. */
            result: {
                createdCount: number;
                /** @description The first 1,000 errors. */
                errors: {
                    email: string;
                    error: string;
                    /** @description The line in the file at which the row begins. The header is line 1. */
                    row: number;
                }[];
                failureCount: number;
                /** @description The sum of `createdCount` and `updatedCount`. */
                successCount: number;
                totalRows: number;
                /** @description Rows whose contact already existed, in the project or earlier in the file, including rows without a change. */
                updatedCount: number;
            } | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        ImportReport: {
            createdCount: number;
            /** @description The first 10 errors. `GET /jobs/:id/errors.csv` returns all stored errors. */
            errors: {
                email: string;
                error: string;
                row: number;
            }[];
            failureCount: number;
            /** @description Rows of existing contacts, if the import skips them. */
            skippedCount: number;
            /** @description The sum of `createdCount` and `updatedCount`. */
            successCount: number;
            totalRows: number;
            /** @description Rows whose time zone is not known. They were imported without it. */
            unknownTimezoneCount: number;
            /** @description Up to ten of these names. */
            unknownTimezones: string[];
            updatedCount: number;
        };
        ImportReportInput: {
            createdCount: number;
            /** @description The first 10 errors. `GET /jobs/:id/errors.csv` returns all stored errors. */
            errors: {
                email: string;
                error: string;
                row: number;
            }[];
            failureCount: number;
            /** @description Rows of existing contacts, if the import skips them. */
            skippedCount: number;
            /** @description The sum of `createdCount` and `updatedCount`. */
            successCount: number;
            totalRows: number;
            /** @description Rows whose time zone is not known. They were imported without it. */
            unknownTimezoneCount: number;
            /** @description Up to ten of these names. */
            unknownTimezones: string[];
            updatedCount: number;
        };
        Invoice: {
            /** @description In the currency's smallest unit. */
            amountDue: number;
            amountPaid: number;
            /** Format: date-time */
            createdAt: string;
            currency: string;
            hostedInvoiceUrl: string | null;
            id: string;
            invoicePdf: string | null;
            number: string | null;
            /** Format: date-time */
            periodEnd: string;
            /** Format: date-time */
            periodStart: string;
            /** @description The provider's status: draft, open, paid, uncollectible, or void. */
            status: string | null;
            total: number;
        };
        InvoiceInput: {
            /** @description In the currency's smallest unit. */
            amountDue: number;
            amountPaid: number;
            /** Format: date-time */
            createdAt: string;
            currency: string;
            hostedInvoiceUrl: string | null;
            id: string;
            invoicePdf: string | null;
            number: string | null;
            /** Format: date-time */
            periodEnd: string;
            /** Format: date-time */
            periodStart: string;
            /** @description The provider's status: draft, open, paid, uncollectible, or void. */
            status: string | null;
            total: number;
        };
        Job: {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "import";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["ImportReport"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        } | {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "bulk";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["BulkReport"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        } | {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "export";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["ExportReport"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        } | {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "replay";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["ReplayReport"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        JobInput: {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "import";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["ImportReportInput"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        } | {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "bulk";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["BulkReportInput"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        } | {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "export";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["ExportReportInput"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        } | {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who created the job (`userId` of a member). Null for an API key. */
            createdBy: string | null;
            endedAt: string | null;
            failedReason: string | null;
            /** @description The name of the imported file. */
            filename: string | null;
            id: string;
            /** @constant */
            kind: "replay";
            /** @description The operation of a bulk job, `import` or `dryRun` of an import, the kind of rows of an export, and `FAILED` or `ALL` of a replay. */
            operation: string | null;
            /** @description From 0 to 100. */
            progress: number;
            /** @description Null until the job has ended. For a canceled or failed job, it covers the part that was done before. */
            result: components["schemas"]["ReplayReportInput"] | null;
            /** @description Null until a worker has processed a part of the job. */
            startedAt: string | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        ListedExecution: {
            completedAt: string | null;
            contactEmail: string;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The name of the current step, or of the last one. Null before the first step. */
            currentStepName: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            /** @description The end of the DELAY or of the timeout of the WAIT_FOR_EVENT. */
            wakeAt: string | null;
            workflowId: string;
        };
        ListedExecutionInput: {
            completedAt: string | null;
            contactEmail: string;
            contactId: string;
            /** @description The variables of the execution: the data of the event that started it or the `context` of the request, and the data of the events that ended its waits. */
            context: {
                [key: string]: unknown;
            };
            /** @description The step at which the execution is or ended. Null before the first step. */
            currentStepId: string | null;
            /** @description The name of the current step, or of the last one. Null before the first step. */
            currentStepName: string | null;
            /** @description The reason of an EXIT, a failure, or a cancellation. */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active; the other statuses are final.
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            /** @description The end of the DELAY or of the timeout of the WAIT_FOR_EVENT. */
            wakeAt: string | null;
            workflowId: string;
        };
        ListedTemplateVersion: {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who made the change. Null for an API key. */
            createdBy: string | null;
            subject: string | null;
            /** @description 1 for the content at creation. */
            version: number;
        };
        ListedTemplateVersionInput: {
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who made the change. Null for an API key. */
            createdBy: string | null;
            subject: string | null;
            /** @description 1 for the content at creation. */
            version: number;
        };
        /** @description The local time at which the campaign is or was scheduled. Null if it was scheduled for a moment. */
        LocalSchedule: {
            fallbackTimezone?: string;
            /** @description Hours. */
            maxLateness?: number;
            /** @enum {string} */
            past?: "next_day" | "now" | "skip";
            /** @description The local time, such as `2030-01-31T09:00`. */
            time: string;
            /** @description An IANA name, or `recipient`. */
            timezone: string;
        };
        /** @description The local time at which the campaign is or was scheduled. Null if it was scheduled for a moment. */
        LocalScheduleInput: {
            fallbackTimezone?: string;
            /** @description Hours. */
            maxLateness?: number;
            /** @enum {string} */
            past?: "next_day" | "now" | "skip";
            /** @description The local time, such as `2030-01-31T09:00`. */
            time: string;
            /** @description An IANA name, or `recipient`. */
            timezone: string;
        };
        LoggedEmail: {
            ambiguous: boolean;
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient`. */
            bounceType: string | null;
            campaignId: string | null;
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            error: string | null;
            executionId: string | null;
            from: string | null;
            group: string | null;
            id: string;
            machineClicks: number;
            machineOpens: number;
            openedAt: string | null;
            opens: number;
            /** @description The mail server's reply. */
            response: string | null;
            scheduledFor: string | null;
            sentAt: string | null;
            /** @enum {string} */
            source: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST" | "PLATFORM";
            /** @enum {string} */
            status: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
            statusDetail: "unknown" | null;
            subject: string | null;
            tags: string[];
            templateId: string | null;
            to: string;
            toName: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            workflowId: string | null;
        };
        LoggedEmailInput: {
            ambiguous: boolean;
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient`. */
            bounceType: string | null;
            campaignId: string | null;
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            error: string | null;
            executionId: string | null;
            from: string | null;
            group: string | null;
            id: string;
            machineClicks: number;
            machineOpens: number;
            openedAt: string | null;
            opens: number;
            /** @description The mail server's reply. */
            response: string | null;
            scheduledFor: string | null;
            sentAt: string | null;
            /** @enum {string} */
            source: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST" | "PLATFORM";
            /** @enum {string} */
            status: "SCHEDULED" | "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
            statusDetail: "unknown" | null;
            subject: string | null;
            tags: string[];
            templateId: string | null;
            to: string;
            toName: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            workflowId: string | null;
        };
        Member: {
            /** Format: date-time */
            createdAt: string;
            email: string;
            /** @enum {string} */
            role: "OWNER" | "ADMIN" | "MEMBER";
            userId: string;
        };
        MemberInput: {
            /** Format: date-time */
            createdAt: string;
            email: string;
            /** @enum {string} */
            role: "OWNER" | "ADMIN" | "MEMBER";
            userId: string;
        };
        Problem: {
            /** @description Stable, for programs: `unknown_variable`. */
            code: string;
            column?: number;
            /**
             * @description An error prevents the use. A warning is worth a correction. An info may be intended.
             * @enum {string}
             */
            level: "error" | "warning" | "info";
            /** @description The place in the source, from 1. */
            line?: number;
            message: string;
            /** @description The field: `body`. */
            path?: string;
        };
        ProblemInput: {
            /** @description Stable, for programs: `unknown_variable`. */
            code: string;
            column?: number;
            /**
             * @description An error prevents the use. A warning is worth a correction. An info may be intended.
             * @enum {string}
             */
            level: "error" | "warning" | "info";
            /** @description The place in the source, from 1. */
            line?: number;
            message: string;
            /** @description The field: `body`. */
            path?: string;
        };
        Project: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            brand: {
                color: string | null;
                logoUrl: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            defaultFrom: string | null;
            defaultFromName: string | null;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @example Shop Ltd, 1 Example Street, Dublin */
            postalAddress: string | null;
            /** @description The public key, `pk_…`. */
            public: string;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "OWNER" | "ADMIN" | "MEMBER";
            /** @description The last four characters of the secret key. */
            secretLast4: string;
            sendWindow: components["schemas"]["SendWindow"] | null;
            /** @example Europe/Berlin */
            timezone: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            trackMayChangeSubscription: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectInput: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            brand: {
                color: string | null;
                logoUrl: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            defaultFrom: string | null;
            defaultFromName: string | null;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @example Shop Ltd, 1 Example Street, Dublin */
            postalAddress: string | null;
            /** @description The public key, `pk_…`. */
            public: string;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "OWNER" | "ADMIN" | "MEMBER";
            /** @description The last four characters of the secret key. */
            secretLast4: string;
            sendWindow: components["schemas"]["SendWindowInput"] | null;
            /** @example Europe/Berlin */
            timezone: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            trackMayChangeSubscription: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectWithSecret: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            brand: {
                color: string | null;
                logoUrl: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            defaultFrom: string | null;
            defaultFromName: string | null;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @example Shop Ltd, 1 Example Street, Dublin */
            postalAddress: string | null;
            /** @description The public key, `pk_…`. */
            public: string;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "OWNER" | "ADMIN" | "MEMBER";
            /** @description The secret key, `sk_…`. It is never returned again. */
            secret: string;
            /** @description The last four characters of the secret key. */
            secretLast4: string;
            sendWindow: components["schemas"]["SendWindow"] | null;
            /** @example Europe/Berlin */
            timezone: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            trackMayChangeSubscription: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectWithSecretInput: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            brand: {
                color: string | null;
                logoUrl: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            defaultFrom: string | null;
            defaultFromName: string | null;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @example Shop Ltd, 1 Example Street, Dublin */
            postalAddress: string | null;
            /** @description The public key, `pk_…`. */
            public: string;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "OWNER" | "ADMIN" | "MEMBER";
            /** @description The secret key, `sk_…`. It is never returned again. */
            secret: string;
            /** @description The last four characters of the secret key. */
            secretLast4: string;
            sendWindow: components["schemas"]["SendWindowInput"] | null;
            /** @example Europe/Berlin */
            timezone: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            trackMayChangeSubscription: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        QueriedContacts: {
            /** @description Null on the last page. */
            cursor: string | null;
            data: components["schemas"]["Contact"][];
            /** @description The zero-based rank of the first contact. With a cursor, it counts from the page without one. */
            position: number;
            /** @description The exact number of matches. Null while they are being counted. */
            total: number | null;
        };
        QueriedContactsInput: {
            /** @description Null on the last page. */
            cursor: string | null;
            data: components["schemas"]["ContactInput"][];
            /** @description The zero-based rank of the first contact. With a cursor, it counts from the page without one. */
            position: number;
            /** @description The exact number of matches. Null while they are being counted. */
            total: number | null;
        };
        Rendering: {
            /** @description The size of `html` in UTF-8. */
            bytes: number | null;
            /** @description Complete, with preheader and footer, and without tracking. Null if the body does not parse. */
            html: string | null;
            problems: components["schemas"]["Problem"][];
            /** @description One line. Null if the subject is missing or does not parse. */
            subject: string | null;
            /** @description The text alternative that is sent with the HTML. */
            text: string | null;
        };
        RenderingInput: {
            /** @description The size of `html` in UTF-8. */
            bytes: number | null;
            /** @description Complete, with preheader and footer, and without tracking. Null if the body does not parse. */
            html: string | null;
            problems: components["schemas"]["ProblemInput"][];
            /** @description One line. Null if the subject is missing or does not parse. */
            subject: string | null;
            /** @description The text alternative that is sent with the HTML. */
            text: string | null;
        };
        ReplacedWorkflowGraph: {
            /** @description If false, a contact can have one execution ever. If true, a contact can have any number of executions, one at a time. */
            allowReentry: boolean;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description A disabled workflow starts no executions. Active executions continue. */
            enabled: boolean;
            id: string;
            /** @description The id of each step that has a key in the request. */
            keys: {
                [key: string]: string;
            };
            name: string;
            projectId: string;
            /** @description In the order of creation. The TRIGGER is the first. */
            steps: components["schemas"]["WorkflowStep"][];
            /** @description Ordered by priority, then by creation. */
            transitions: components["schemas"]["WorkflowTransition"][];
            /** @description Equal to the config of the TRIGGER step: a change of one changes both. */
            triggerConfig: {
                eventName: string;
            };
            /** @constant */
            triggerType: "EVENT";
            /** Format: date-time */
            updatedAt: string;
        };
        ReplacedWorkflowGraphInput: {
            /** @description If false, a contact can have one execution ever. If true, a contact can have any number of executions, one at a time. */
            allowReentry: boolean;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description A disabled workflow starts no executions. Active executions continue. */
            enabled: boolean;
            id: string;
            /** @description The id of each step that has a key in the request. */
            keys: {
                [key: string]: string;
            };
            name: string;
            projectId: string;
            /** @description In the order of creation. The TRIGGER is the first. */
            steps: components["schemas"]["WorkflowStepInput"][];
            /** @description Ordered by priority, then by creation. */
            transitions: components["schemas"]["WorkflowTransitionInput"][];
            /** @description Equal to the config of the TRIGGER step: a change of one changes both. */
            triggerConfig: {
                eventName: string;
            };
            /** @constant */
            triggerType: "EVENT";
            /** Format: date-time */
            updatedAt: string;
        };
        ReplayReport: {
            /** @description Deliveries that were put into the queue. */
            count: number;
            /** Format: date-time */
            since: string;
            /** @enum {string} */
            status: "FAILED" | "ALL";
            /** @description Null for all types of the endpoint. */
            types: string[] | null;
            /**
             * Format: date-time
             * @description Not included.
             */
            until: string;
            webhookId: string;
        };
        ReplayReportInput: {
            /** @description Deliveries that were put into the queue. */
            count: number;
            /** Format: date-time */
            since: string;
            /** @enum {string} */
            status: "FAILED" | "ALL";
            /** @description Null for all types of the endpoint. */
            types: string[] | null;
            /**
             * Format: date-time
             * @description Not included.
             */
            until: string;
            webhookId: string;
        };
        SavedBlock: {
            /**
             * @example [
             *       {
             *         "id": "signature",
             *         "type": "text",
             *         "content": [
             *           {
             *             "type": "text",
             *             "text": "Your team at Shop"
             *           }
             *         ]
             *       }
             *     ]
             */
            blocks: components["schemas"]["DesignBlock"][];
            /** Format: date-time */
            createdAt: string;
            id: string;
            name: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SavedBlockInput: {
            /**
             * @example [
             *       {
             *         "id": "signature",
             *         "type": "text",
             *         "content": [
             *           {
             *             "type": "text",
             *             "text": "Your team at Shop"
             *           }
             *         ]
             *       }
             *     ]
             */
            blocks: components["schemas"]["DesignBlockInput"][];
            /** Format: date-time */
            createdAt: string;
            id: string;
            name: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SearchHit: {
            id: string;
            /** @enum {string} */
            kind: "contact" | "campaign" | "template" | "segment" | "workflow" | "domain" | "email";
            /** @description The contact's `name` or `firstName` and `lastName`; the subject of a campaign, a template, and an email; the segment's description; the workflow's event; the domain's status. */
            subtitle: string | null;
            /** @description The name, or the address of a contact and of an email. */
            title: string;
        };
        SearchHitInput: {
            id: string;
            /** @enum {string} */
            kind: "contact" | "campaign" | "template" | "segment" | "workflow" | "domain" | "email";
            /** @description The contact's `name` or `firstName` and `lastName`; the subject of a campaign, a template, and an email; the segment's description; the workflow's event; the domain's status. */
            subtitle: string | null;
            /** @description The name, or the address of a contact and of an email. */
            title: string;
        };
        Security: {
            allTime: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`. 0 if nothing was sent. */
                bounceRate: number;
                /** @description Permanent bounces of these emails. */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server accepted, except test emails. */
                sent: number;
                /** @description Transient bounces. They count toward no rate. */
                transientBounces: number;
            };
            autoDisable: {
                /** @description The time at which the project was last re-enabled. Earlier figures do not disable it again. */
                countsFrom: string | null;
                /** @description Whether this installation disables critical projects (`AUTO_PROJECT_DISABLE`). */
                enabled: boolean;
            };
            disabled: boolean;
            disabledAt: string | null;
            disabledReason: string | null;
            /** @description The figures of this UTC day and the six days before it. */
            last7Days: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`. 0 if nothing was sent. */
                bounceRate: number;
                /** @description Permanent bounces of these emails. */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server accepted, except test emails. */
                sent: number;
                /** @description Transient bounces. They count toward no rate. */
                transientBounces: number;
            };
            /** @description The figures recorded in the last 24 hours, rounded to the hour. They have no level. */
            last24Hours: {
                /** @description `bounces` as a fraction of `sent`. 0 if nothing was sent. */
                bounceRate: number;
                /** @description Permanent bounces of these emails. */
                bounces: number;
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server accepted, except test emails. */
                sent: number;
                /** @description Transient bounces. They count toward no rate. */
                transientBounces: number;
            };
            /**
             * @description The worst of the four levels.
             * @enum {string}
             */
            level: "healthy" | "warning" | "critical";
            projectId: string;
        };
        SecurityInput: {
            allTime: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`. 0 if nothing was sent. */
                bounceRate: number;
                /** @description Permanent bounces of these emails. */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server accepted, except test emails. */
                sent: number;
                /** @description Transient bounces. They count toward no rate. */
                transientBounces: number;
            };
            autoDisable: {
                /** @description The time at which the project was last re-enabled. Earlier figures do not disable it again. */
                countsFrom: string | null;
                /** @description Whether this installation disables critical projects (`AUTO_PROJECT_DISABLE`). */
                enabled: boolean;
            };
            disabled: boolean;
            disabledAt: string | null;
            disabledReason: string | null;
            /** @description The figures of this UTC day and the six days before it. */
            last7Days: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`. 0 if nothing was sent. */
                bounceRate: number;
                /** @description Permanent bounces of these emails. */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server accepted, except test emails. */
                sent: number;
                /** @description Transient bounces. They count toward no rate. */
                transientBounces: number;
            };
            /** @description The figures recorded in the last 24 hours, rounded to the hour. They have no level. */
            last24Hours: {
                /** @description `bounces` as a fraction of `sent`. 0 if nothing was sent. */
                bounceRate: number;
                /** @description Permanent bounces of these emails. */
                bounces: number;
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server accepted, except test emails. */
                sent: number;
                /** @description Transient bounces. They count toward no rate. */
                transientBounces: number;
            };
            /**
             * @description The worst of the four levels.
             * @enum {string}
             */
            level: "healthy" | "warning" | "critical";
            projectId: string;
        };
        Segment: {
            /** @description The time of the last computation of a tracked dynamic segment. */
            computedAt: string | null;
            /** @description Null for a static segment. */
            condition: components["schemas"]["ConditionTree"] | null;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            id: string;
            /** @description The number of members at the last creation, condition change, member call, refresh, or compute. */
            memberCount: number;
            name: string;
            projectId: string;
            /** @description Derived from the name at creation and then fixed. Part of the events `segment.<slug>.entry` and `segment.<slug>.exit`. */
            slug: string;
            trackMembership: boolean;
            /** @enum {string} */
            type: "DYNAMIC" | "STATIC";
            /** Format: date-time */
            updatedAt: string;
        };
        SegmentInput: {
            /** @description The time of the last computation of a tracked dynamic segment. */
            computedAt: string | null;
            /** @description Null for a static segment. */
            condition: components["schemas"]["ConditionTreeInput"] | null;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            id: string;
            /** @description The number of members at the last creation, condition change, member call, refresh, or compute. */
            memberCount: number;
            name: string;
            projectId: string;
            /** @description Derived from the name at creation and then fixed. Part of the events `segment.<slug>.entry` and `segment.<slug>.exit`. */
            slug: string;
            trackMembership: boolean;
            /** @enum {string} */
            type: "DYNAMIC" | "STATIC";
            /** Format: date-time */
            updatedAt: string;
        };
        /**
         * @example {
         *       "timezone": "recipient",
         *       "days": [
         *         "mon",
         *         "tue",
         *         "wed",
         *         "thu",
         *         "fri"
         *       ],
         *       "from": "09:00",
         *       "until": "18:00"
         *     }
         */
        SendWindow: {
            /** @description The days on which it opens. */
            days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            /** @description Dates on which it does not open, such as `2026-12-24`. */
            except?: string[];
            /** @description Local time, such as `09:00`. */
            from: string;
            /** @description An IANA name, or `recipient` for that of each recipient. */
            timezone: string;
            /** @description If it is not after `from`, the window closes on the next day. */
            until: string;
        };
        /**
         * @example {
         *       "timezone": "recipient",
         *       "days": [
         *         "mon",
         *         "tue",
         *         "wed",
         *         "thu",
         *         "fri"
         *       ],
         *       "from": "09:00",
         *       "until": "18:00"
         *     }
         */
        SendWindowInput: {
            /** @description The days on which it opens. */
            days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            /** @description Dates on which it does not open, such as `2026-12-24`. */
            except?: string[];
            /** @description Local time, such as `09:00`. */
            from: string;
            /** @description An IANA name, or `recipient` for that of each recipient. */
            timezone: string;
            /** @description If it is not after `from`, the window closes on the next day. */
            until: string;
        };
        Session: {
            email: string;
            id: string;
        };
        SessionInput: {
            email: string;
            id: string;
        };
        SetupState: {
            contactCount: number;
            /** @description The first sent email that `RETENTION_DAYS` has not deleted; tests do not count. */
            firstEmailSentAt: string | null;
            /** @description The first tracked event that `RETENTION_DAYS` has not deleted. */
            firstEventAt: string | null;
            hasEnabledWorkflow: boolean;
            hasSubscription: boolean;
            hasVerifiedDomain: boolean;
            /** @description The time at which the last recipient of the latest campaign reached a final status. */
            lastCampaignSentAt: string | null;
            /** @description Up to a minute before the last request with the current public key. */
            publicKeyLastUsedAt: string | null;
            /** @description Up to a minute before the last request with the current secret key. */
            secretKeyLastUsedAt: string | null;
        };
        SetupStateInput: {
            contactCount: number;
            /** @description The first sent email that `RETENTION_DAYS` has not deleted; tests do not count. */
            firstEmailSentAt: string | null;
            /** @description The first tracked event that `RETENTION_DAYS` has not deleted. */
            firstEventAt: string | null;
            hasEnabledWorkflow: boolean;
            hasSubscription: boolean;
            hasVerifiedDomain: boolean;
            /** @description The time at which the last recipient of the latest campaign reached a final status. */
            lastCampaignSentAt: string | null;
            /** @description Up to a minute before the last request with the current public key. */
            publicKeyLastUsedAt: string | null;
            /** @description Up to a minute before the last request with the current secret key. */
            secretKeyLastUsedAt: string | null;
        };
        StepExecution: {
            completedAt: string | null;
            error: string | null;
            id: string;
            /** @description `summary` describes in a sentence what happened and why. Other fields depend on the type of the step, such as `branch`, `emailId`, `eventId`, and `statusCode`. `condition` of a CONDITION with several filters has the outcome of each: `{ matches, logic, groups: [{ matches, filters: [{ field, operator, value, unit, actual, matches }], conditions? }] }`. */
            output: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            startedAt: string;
            /** @enum {string} */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "SKIPPED" | "FAILED" | "CANCELLED";
            stepId: string;
            stepName: string;
            /**
             * @description The type when the execution reached the step, like `stepName`. The history stays when the step is deleted.
             * @enum {string}
             */
            stepType: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            /** @description The end of a DELAY or of the timeout of a WAIT_FOR_EVENT. */
            wakeAt: string | null;
        };
        StepExecutionInput: {
            completedAt: string | null;
            error: string | null;
            id: string;
            /** @description `summary` describes in a sentence what happened and why. Other fields depend on the type of the step, such as `branch`, `emailId`, `eventId`, and `statusCode`. `condition` of a CONDITION with several filters has the outcome of each: `{ matches, logic, groups: [{ matches, filters: [{ field, operator, value, unit, actual, matches }], conditions? }] }`. */
            output: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            startedAt: string;
            /** @enum {string} */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "SKIPPED" | "FAILED" | "CANCELLED";
            stepId: string;
            stepName: string;
            /**
             * @description The type when the execution reached the step, like `stepName`. The history stays when the step is deleted.
             * @enum {string}
             */
            stepType: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            /** @description The end of a DELAY or of the timeout of a WAIT_FOR_EVENT. */
            wakeAt: string | null;
        };
        /** @description A message. `data` is sent as JSON in one line. */
        StreamMessage: {
            data: components["schemas"]["Activity"];
            /** @constant */
            event: "activity";
            id: string;
        } | {
            data: components["schemas"]["CampaignProgress"];
            /** @constant */
            event: "campaigns";
        } | {
            data: components["schemas"]["Job"];
            /** @constant */
            event: "jobs";
        } | {
            data: components["schemas"]["Domain"];
            /** @constant */
            event: "domains";
        } | {
            data: components["schemas"]["Security"];
            /** @constant */
            event: "reputation";
        } | {
            data: components["schemas"]["WorkflowFigures"];
            /** @description `workflow:<id>` */
            event: string;
        };
        /** @description A message. `data` is sent as JSON in one line. */
        StreamMessageInput: {
            data: components["schemas"]["ActivityInput"];
            /** @constant */
            event: "activity";
            id: string;
        } | {
            data: components["schemas"]["CampaignProgressInput"];
            /** @constant */
            event: "campaigns";
        } | {
            data: components["schemas"]["JobInput"];
            /** @constant */
            event: "jobs";
        } | {
            data: components["schemas"]["DomainInput"];
            /** @constant */
            event: "domains";
        } | {
            data: components["schemas"]["SecurityInput"];
            /** @constant */
            event: "reputation";
        } | {
            data: components["schemas"]["WorkflowFiguresInput"];
            /** @description `workflow:<id>` */
            event: string;
        };
        Suppression: {
            /** Format: date-time */
            createdAt: string;
            /** @description The message of the mail server or provider, or the `detail` of the request. */
            detail: string | null;
            /** @description In lowercase. */
            email: string;
            /** @description The id of the email that caused the suppression, for `GET /emails/:id`. */
            emailId: string | null;
            /**
             * @description `bounce`: an email bounced permanently. `complaint`: the recipient reported an email as spam. `manual`: added with this endpoint.
             * @enum {string}
             */
            reason: "complaint" | "bounce" | "manual";
        };
        SuppressionInput: {
            /** Format: date-time */
            createdAt: string;
            /** @description The message of the mail server or provider, or the `detail` of the request. */
            detail: string | null;
            /** @description In lowercase. */
            email: string;
            /** @description The id of the email that caused the suppression, for `GET /emails/:id`. */
            emailId: string | null;
            /**
             * @description `bounce`: an email bounced permanently. `complaint`: the recipient reported an email as spam. `manual`: added with this endpoint.
             * @enum {string}
             */
            reason: "complaint" | "bounce" | "manual";
        };
        Template: {
            /** @description Null only in a draft that lacks it. */
            body: string | null;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description Null with the editor `html`. */
            design: components["schemas"]["Design"] | null;
            /** @description Whether it was saved as a draft. A draft with errors in `problems` cannot be sent or used. */
            draft: boolean;
            /**
             * @description With `blocks`, the server has written `body` from `design`.
             * @enum {string}
             */
            editor: "html" | "blocks";
            /** @description Null only in a draft that lacks it. */
            from: string | null;
            fromName: string | null;
            id: string;
            name: string;
            preheader: string | null;
            /** @description As in `POST /render`. */
            problems: components["schemas"]["Problem"][];
            projectId: string;
            replyTo: string | null;
            /** @description Null only in a draft that lacks it. */
            subject: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** Format: date-time */
            updatedAt: string;
        };
        TemplateInput: {
            /** @description Null only in a draft that lacks it. */
            body: string | null;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description Null with the editor `html`. */
            design: components["schemas"]["DesignInput"] | null;
            /** @description Whether it was saved as a draft. A draft with errors in `problems` cannot be sent or used. */
            draft: boolean;
            /**
             * @description With `blocks`, the server has written `body` from `design`.
             * @enum {string}
             */
            editor: "html" | "blocks";
            /** @description Null only in a draft that lacks it. */
            from: string | null;
            fromName: string | null;
            id: string;
            name: string;
            preheader: string | null;
            /** @description As in `POST /render`. */
            problems: components["schemas"]["ProblemInput"][];
            projectId: string;
            replyTo: string | null;
            /** @description Null only in a draft that lacks it. */
            subject: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** Format: date-time */
            updatedAt: string;
        };
        TemplateUsage: {
            campaigns: {
                id: string;
                name: string;
            }[];
            /** @description Emails with this template that a mail server accepted. */
            emailsSent: number;
            workflowSteps: {
                id: string;
                name: string;
                workflowId: string;
                workflowName: string;
            }[];
        };
        TemplateUsageInput: {
            campaigns: {
                id: string;
                name: string;
            }[];
            /** @description Emails with this template that a mail server accepted. */
            emailsSent: number;
            workflowSteps: {
                id: string;
                name: string;
                workflowId: string;
                workflowName: string;
            }[];
        };
        TemplateVersion: {
            body: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who made the change. Null for an API key. */
            createdBy: string | null;
            /** @description Null with the editor `html`. */
            design: components["schemas"]["Design"] | null;
            /** @description Whether the template was a draft. */
            draft: boolean;
            /**
             * @description With `blocks`, the server has written `body` from `design`.
             * @enum {string}
             */
            editor: "html" | "blocks";
            from: string | null;
            fromName: string | null;
            preheader: string | null;
            replyTo: string | null;
            subject: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** @description 1 for the content at creation. */
            version: number;
        };
        TemplateVersionInput: {
            body: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the user who made the change. Null for an API key. */
            createdBy: string | null;
            /** @description Null with the editor `html`. */
            design: components["schemas"]["DesignInput"] | null;
            /** @description Whether the template was a draft. */
            draft: boolean;
            /**
             * @description With `blocks`, the server has written `body` from `design`.
             * @enum {string}
             */
            editor: "html" | "blocks";
            from: string | null;
            fromName: string | null;
            preheader: string | null;
            replyTo: string | null;
            subject: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** @description 1 for the content at creation. */
            version: number;
        };
        TopCampaign: {
            bouncedCount: number;
            clickedCount: number;
            /** @description A fraction of `sentCount`. */
            clickRate: number;
            deliveredCount: number;
            id: string;
            name: string;
            openedCount: number;
            /** @description A fraction of `sentCount`. */
            openRate: number;
            sentAt: string | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            subject: string;
            totalRecipients: number;
        };
        TopCampaignInput: {
            bouncedCount: number;
            clickedCount: number;
            /** @description A fraction of `sentCount`. */
            clickRate: number;
            deliveredCount: number;
            id: string;
            name: string;
            openedCount: number;
            /** @description A fraction of `sentCount`. */
            openRate: number;
            sentAt: string | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            subject: string;
            totalRecipients: number;
        };
        TopEvent: {
            count: number;
            name: string;
            /** @description The change from the same number of days before, as a fraction of that count: 0.5 is 50% more, -0.5 is 50% less. 1 if the count before was 0. */
            trend: number;
        };
        TopEventInput: {
            count: number;
            name: string;
            /** @description The change from the same number of days before, as a fraction of that count: 0.5 is 50% more, -0.5 is 50% less. 1 if the count before was 0. */
            trend: number;
        };
        TrackedEvent: {
            /** @description The contact's id. */
            contact: string;
            /** @description The event's id. */
            event: string;
            /** Format: date-time */
            timestamp: string;
        };
        TrackedEventInput: {
            /** @description The contact's id. */
            contact: string;
            /** @description The event's id. */
            event: string;
            /** Format: date-time */
            timestamp: string;
        };
        Upload: {
            /**
             * @description The type, detected from the content.
             * @enum {string}
             */
            contentType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
            /** @description The file name that the client sent, without a path. */
            filename: string;
            key: string;
            /** @description In bytes. */
            size: number;
            /** @description The public URL of the image. It is valid until the project is deleted. */
            url: string;
        };
        UploadInput: {
            /**
             * @description The type, detected from the content.
             * @enum {string}
             */
            contentType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
            /** @description The file name that the client sent, without a path. */
            filename: string;
            key: string;
            /** @description In bytes. */
            size: number;
            /** @description The public URL of the image. It is valid until the project is deleted. */
            url: string;
        };
        UpsertedContact: {
            _meta: {
                isNew: boolean;
                isUpdate: boolean;
            };
            /** Format: date-time */
            createdAt: string;
            data: {
                [key: string]: unknown;
            };
            /** @description In lowercase. Unique in the project. */
            email: string;
            id: string;
            /** @description The time until which the contact is unsubscribed. The contact is then subscribed again. */
            snoozedUntil: string | null;
            subscribed: boolean;
            /** @description The IANA time zone of the contact. It is also the field `timezone` of the data. */
            timezone: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        UpsertedContactInput: {
            _meta: {
                isNew: boolean;
                isUpdate: boolean;
            };
            /** Format: date-time */
            createdAt: string;
            data: {
                [key: string]: unknown;
            };
            /** @description In lowercase. Unique in the project. */
            email: string;
            id: string;
            /** @description The time until which the contact is unsubscribed. The contact is then subscribed again. */
            snoozedUntil: string | null;
            subscribed: boolean;
            /** @description The IANA time zone of the contact. It is also the field `timezone` of the data. */
            timezone: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        VariantDecision: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            by: "auto" | "manual";
            /** @description Whether its rate is higher than all others at a level of 95%. Null for a manual decision. */
            significant: boolean | null;
            variant: string;
        };
        VariantDecisionInput: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            by: "auto" | "manual";
            /** @description Whether its rate is higher than all others at a level of 95%. Null for a manual decision. */
            significant: boolean | null;
            variant: string;
        };
        Webhook: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            /** @description Why the service has disabled it. */
            disabledReason: string | null;
            enabled: boolean;
            /**
             * @example [
             *       "email.*",
             *       "order.placed"
             *     ]
             */
            events: string[];
            /** @description The first failed attempt since the last success. */
            failingSince: string | null;
            id: string;
            lastSuccessAt: string | null;
            /** @description Nothing is sent before. */
            pausedUntil: string | null;
            /** @description Until then, the former secret signs too. */
            previousSecretExpiresAt: string | null;
            /** Format: date-time */
            updatedAt: string;
            url: string;
            /** @description Deliveries that wait; 10001 stands for more than 10000. */
            waiting: number;
        };
        WebhookDelivery: {
            /** @description Since it was put into the queue. */
            attempts: number;
            /** @description The id of the event, and the header `webhook-id`: the same for every endpoint and attempt. */
            id: string;
            lastError: string | null;
            lastStatusCode: number | null;
            /** @description Set while it is PENDING. */
            nextAttemptAt: string | null;
            /**
             * @description FAILED: after the last attempt. DISCARDED: the event no longer exists, such as of a deleted contact.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "FAILED" | "DISCARDED";
            /** @example email.bounced */
            type: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookDeliveryDetails: {
            /** @description Since it was put into the queue. */
            attempts: number;
            /** @description The id of the event, and the header `webhook-id`: the same for every endpoint and attempt. */
            id: string;
            lastError: string | null;
            lastStatusCode: number | null;
            /** @description The last 20 attempts. */
            log: {
                /** Format: date-time */
                at: string;
                durationMs: number;
                error: string | null;
                /** @description The first 4 KiB of the body. */
                response: string | null;
                statusCode: number | null;
            }[];
            /** @description Set while it is PENDING. */
            nextAttemptAt: string | null;
            /** @description What an attempt sends now. Null if the event no longer exists. */
            request: {
                body: string;
                headers: {
                    [key: string]: string;
                };
            } | null;
            /**
             * @description FAILED: after the last attempt. DISCARDED: the event no longer exists, such as of a deleted contact.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "FAILED" | "DISCARDED";
            /** @example email.bounced */
            type: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookDeliveryDetailsInput: {
            /** @description Since it was put into the queue. */
            attempts: number;
            /** @description The id of the event, and the header `webhook-id`: the same for every endpoint and attempt. */
            id: string;
            lastError: string | null;
            lastStatusCode: number | null;
            /** @description The last 20 attempts. */
            log: {
                /** Format: date-time */
                at: string;
                durationMs: number;
                error: string | null;
                /** @description The first 4 KiB of the body. */
                response: string | null;
                statusCode: number | null;
            }[];
            /** @description Set while it is PENDING. */
            nextAttemptAt: string | null;
            /** @description What an attempt sends now. Null if the event no longer exists. */
            request: {
                body: string;
                headers: {
                    [key: string]: string;
                };
            } | null;
            /**
             * @description FAILED: after the last attempt. DISCARDED: the event no longer exists, such as of a deleted contact.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "FAILED" | "DISCARDED";
            /** @example email.bounced */
            type: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookDeliveryInput: {
            /** @description Since it was put into the queue. */
            attempts: number;
            /** @description The id of the event, and the header `webhook-id`: the same for every endpoint and attempt. */
            id: string;
            lastError: string | null;
            lastStatusCode: number | null;
            /** @description Set while it is PENDING. */
            nextAttemptAt: string | null;
            /**
             * @description FAILED: after the last attempt. DISCARDED: the event no longer exists, such as of a deleted contact.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "FAILED" | "DISCARDED";
            /** @example email.bounced */
            type: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookInput: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            /** @description Why the service has disabled it. */
            disabledReason: string | null;
            enabled: boolean;
            /**
             * @example [
             *       "email.*",
             *       "order.placed"
             *     ]
             */
            events: string[];
            /** @description The first failed attempt since the last success. */
            failingSince: string | null;
            id: string;
            lastSuccessAt: string | null;
            /** @description Nothing is sent before. */
            pausedUntil: string | null;
            /** @description Until then, the former secret signs too. */
            previousSecretExpiresAt: string | null;
            /** Format: date-time */
            updatedAt: string;
            url: string;
            /** @description Deliveries that wait; 10001 stands for more than 10000. */
            waiting: number;
        };
        WebhookType: {
            description: string;
            schema: {
                [key: string]: unknown;
            };
            type: string;
        };
        WebhookTypeInput: {
            description: string;
            schema: {
                [key: string]: unknown;
            };
            type: string;
        };
        WebhookWithSecret: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            /** @description Why the service has disabled it. */
            disabledReason: string | null;
            enabled: boolean;
            /**
             * @example [
             *       "email.*",
             *       "order.placed"
             *     ]
             */
            events: string[];
            /** @description The first failed attempt since the last success. */
            failingSince: string | null;
            id: string;
            lastSuccessAt: string | null;
            /** @description Nothing is sent before. */
            pausedUntil: string | null;
            /** @description Until then, the former secret signs too. */
            previousSecretExpiresAt: string | null;
            /**
             * @description The prefix `whsec_` and a base64 value. It is not shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret: string;
            /** Format: date-time */
            updatedAt: string;
            url: string;
            /** @description Deliveries that wait; 10001 stands for more than 10000. */
            waiting: number;
        };
        WebhookWithSecretInput: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            /** @description Why the service has disabled it. */
            disabledReason: string | null;
            enabled: boolean;
            /**
             * @example [
             *       "email.*",
             *       "order.placed"
             *     ]
             */
            events: string[];
            /** @description The first failed attempt since the last success. */
            failingSince: string | null;
            id: string;
            lastSuccessAt: string | null;
            /** @description Nothing is sent before. */
            pausedUntil: string | null;
            /** @description Until then, the former secret signs too. */
            previousSecretExpiresAt: string | null;
            /**
             * @description The prefix `whsec_` and a base64 value. It is not shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret: string;
            /** Format: date-time */
            updatedAt: string;
            url: string;
            /** @description Deliveries that wait; 10001 stands for more than 10000. */
            waiting: number;
        };
        Workflow: {
            /** @description If false, a contact can have one execution ever. If true, a contact can have any number of executions, one at a time. */
            allowReentry: boolean;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description A disabled workflow starts no executions. Active executions continue. */
            enabled: boolean;
            id: string;
            name: string;
            projectId: string;
            /** @description In the order of creation. The TRIGGER is the first. */
            steps: components["schemas"]["WorkflowStep"][];
            /** @description Ordered by priority, then by creation. */
            transitions: components["schemas"]["WorkflowTransition"][];
            /** @description Equal to the config of the TRIGGER step: a change of one changes both. */
            triggerConfig: {
                eventName: string;
            };
            /** @constant */
            triggerType: "EVENT";
            /** Format: date-time */
            updatedAt: string;
        };
        WorkflowFields: {
            count: number;
            fields: {
                /** @enum {string} */
                category: "contact" | "event";
                field: string;
                /**
                 * @description The type of most values.
                 * @enum {string}
                 */
                type: "string" | "number" | "boolean" | "date";
            }[];
        };
        WorkflowFieldsInput: {
            count: number;
            fields: {
                /** @enum {string} */
                category: "contact" | "event";
                field: string;
                /**
                 * @description The type of most values.
                 * @enum {string}
                 */
                type: "string" | "number" | "boolean" | "date";
            }[];
        };
        WorkflowFigures: {
            /** @description By the id of the step: the number of executions that are at it. */
            steps: {
                [key: string]: {
                    waiting: number;
                };
            };
            workflowId: string;
        };
        WorkflowFiguresInput: {
            /** @description By the id of the step: the number of executions that are at it. */
            steps: {
                [key: string]: {
                    waiting: number;
                };
            };
            workflowId: string;
        };
        WorkflowGraph: {
            steps: {
                /**
                 * @description The config depends on the type:
                 *     - TRIGGER `{ eventName }`
                 *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`
                 *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.
                 *     - WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.
                 *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the related operators, which checks whether the contact had that event.
                 *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are templates. The URL starts with http:// or https:// and a host, without a user name or password. The default body is `{ contact, workflow, execution, event }`.
                 *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of contact data apply.
                 *     - EXIT `{ reason? }`
                 */
                config?: {
                    [key: string]: unknown;
                };
                /** @description A step of the workflow. Without it, the step is new and needs a `key`. */
                id?: string;
                /** @description A name of your choice for the step in this request. The response maps it to the id. A TRIGGER with a key is the TRIGGER that the workflow has. */
                key?: string;
                /** @description Default: the type in words. */
                name?: string;
                /** @description The position in an editor. */
                position?: {
                    x: number;
                    y: number;
                };
                /** @description The template of a SEND_EMAIL step. It takes precedence over the one in `config`. */
                templateId?: string | null;
                /**
                 * @description A graph has exactly one TRIGGER. The type of an existing step cannot change.
                 * @enum {string}
                 */
                type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            }[];
            transitions: {
                /** @description CONDITION: `yes` or `no`, or with `mode: "multi"` the id of a branch or `default`. WAIT_FOR_EVENT: `event` (or none) or `timeout`. WEBHOOK: none or `error`. All other types: none. */
                branch?: string | null;
                /** @description The id or the key of a step in `steps`. */
                from: string;
                /** @description The id or the key of a step in `steps`. */
                to: string;
            }[];
        };
        WorkflowGraphInput: {
            steps: {
                /**
                 * @description The config depends on the type:
                 *     - TRIGGER `{ eventName }`
                 *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`
                 *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.
                 *     - WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.
                 *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the related operators, which checks whether the contact had that event.
                 *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are templates. The URL starts with http:// or https:// and a host, without a user name or password. The default body is `{ contact, workflow, execution, event }`.
                 *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of contact data apply.
                 *     - EXIT `{ reason? }`
                 */
                config?: {
                    [key: string]: unknown;
                };
                /** @description A step of the workflow. Without it, the step is new and needs a `key`. */
                id?: string;
                /** @description A name of your choice for the step in this request. The response maps it to the id. A TRIGGER with a key is the TRIGGER that the workflow has. */
                key?: string;
                /** @description Default: the type in words. */
                name?: string;
                /** @description The position in an editor. */
                position?: {
                    x: number;
                    y: number;
                };
                /** @description The template of a SEND_EMAIL step. It takes precedence over the one in `config`. */
                templateId?: string | null;
                /**
                 * @description A graph has exactly one TRIGGER. The type of an existing step cannot change.
                 * @enum {string}
                 */
                type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            }[];
            transitions: {
                /** @description CONDITION: `yes` or `no`, or with `mode: "multi"` the id of a branch or `default`. WAIT_FOR_EVENT: `event` (or none) or `timeout`. WEBHOOK: none or `error`. All other types: none. */
                branch?: string | null;
                /** @description The id or the key of a step in `steps`. */
                from: string;
                /** @description The id or the key of a step in `steps`. */
                to: string;
            }[];
        };
        WorkflowInput: {
            /** @description If false, a contact can have one execution ever. If true, a contact can have any number of executions, one at a time. */
            allowReentry: boolean;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description A disabled workflow starts no executions. Active executions continue. */
            enabled: boolean;
            id: string;
            name: string;
            projectId: string;
            /** @description In the order of creation. The TRIGGER is the first. */
            steps: components["schemas"]["WorkflowStepInput"][];
            /** @description Ordered by priority, then by creation. */
            transitions: components["schemas"]["WorkflowTransitionInput"][];
            /** @description Equal to the config of the TRIGGER step: a change of one changes both. */
            triggerConfig: {
                eventName: string;
            };
            /** @constant */
            triggerType: "EVENT";
            /** Format: date-time */
            updatedAt: string;
        };
        WorkflowProblem: {
            /** @description Stable, for programs: `unknown_variable`. */
            code: string;
            column?: number;
            /** @description The step, if it has a key and no id. */
            key?: string;
            /**
             * @description An error prevents the use. A warning is worth a correction. An info may be intended.
             * @enum {string}
             */
            level: "error" | "warning" | "info";
            /** @description The place in the source, from 1. */
            line?: number;
            message: string;
            /** @description The place in the graph: `steps.2.config.amount`, `transitions.0.from`. */
            path?: string;
            /** @description The step, if it has an id. */
            stepId?: string;
        };
        WorkflowProblemInput: {
            /** @description Stable, for programs: `unknown_variable`. */
            code: string;
            column?: number;
            /** @description The step, if it has a key and no id. */
            key?: string;
            /**
             * @description An error prevents the use. A warning is worth a correction. An info may be intended.
             * @enum {string}
             */
            level: "error" | "warning" | "info";
            /** @description The place in the source, from 1. */
            line?: number;
            message: string;
            /** @description The place in the graph: `steps.2.config.amount`, `transitions.0.from`. */
            path?: string;
            /** @description The step, if it has an id. */
            stepId?: string;
        };
        WorkflowStats: {
            executions: {
                /** @description Now, whatever the period. */
                active: number;
                cancelled: number;
                completed: number;
                exited: number;
                failed: number;
            };
            /** @description By the id of the step. */
            steps: {
                [key: string]: {
                    completed: number;
                    entered: number;
                    failed: number;
                    /** @description Emails that were not sent, and executions whose step was deleted with `splice`. */
                    skipped: number;
                    /** @description The executions that are at the step now, whatever the period. */
                    waiting: number;
                };
            };
            /** @description By the id of the transition. */
            transitions: {
                [key: string]: {
                    passed: number;
                };
            };
        };
        WorkflowStatsInput: {
            executions: {
                /** @description Now, whatever the period. */
                active: number;
                cancelled: number;
                completed: number;
                exited: number;
                failed: number;
            };
            /** @description By the id of the step. */
            steps: {
                [key: string]: {
                    completed: number;
                    entered: number;
                    failed: number;
                    /** @description Emails that were not sent, and executions whose step was deleted with `splice`. */
                    skipped: number;
                    /** @description The executions that are at the step now, whatever the period. */
                    waiting: number;
                };
            };
            /** @description By the id of the transition. */
            transitions: {
                [key: string]: {
                    passed: number;
                };
            };
        };
        WorkflowStep: {
            /**
             * @description The config depends on the type:
             *     - TRIGGER `{ eventName }`
             *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`
             *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.
             *     - WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.
             *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the related operators, which checks whether the contact had that event.
             *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are templates. The URL starts with http:// or https:// and a host, without a user name or password. The default body is `{ contact, workflow, execution, event }`.
             *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of contact data apply.
             *     - EXIT `{ reason? }`
             */
            config: {
                [key: string]: unknown;
            };
            id: string;
            name: string;
            /** @description The position in an editor. */
            position: {
                x: number;
                y: number;
            };
            /** @description The template of a SEND_EMAIL step, which is also in its config. */
            templateId: string | null;
            /** @enum {string} */
            type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            workflowId: string;
        };
        WorkflowStepInput: {
            /**
             * @description The config depends on the type:
             *     - TRIGGER `{ eventName }`
             *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`
             *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.
             *     - WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.
             *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the related operators, which checks whether the contact had that event.
             *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are templates. The URL starts with http:// or https:// and a host, without a user name or password. The default body is `{ contact, workflow, execution, event }`.
             *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of contact data apply.
             *     - EXIT `{ reason? }`
             */
            config: {
                [key: string]: unknown;
            };
            id: string;
            name: string;
            /** @description The position in an editor. */
            position: {
                x: number;
                y: number;
            };
            /** @description The template of a SEND_EMAIL step, which is also in its config. */
            templateId: string | null;
            /** @enum {string} */
            type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            workflowId: string;
        };
        WorkflowTransition: {
            branch: string | null;
            fromStepId: string;
            id: string;
            /** @description The order in lists. Each branch of a step has one transition. */
            priority: number;
            toStepId: string;
            workflowId: string;
        };
        WorkflowTransitionInput: {
            branch: string | null;
            fromStepId: string;
            id: string;
            /** @description The order in lists. Each branch of a step has one transition. */
            priority: number;
            toStepId: string;
            workflowId: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
