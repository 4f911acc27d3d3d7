/** Generated from the OpenAPI document by packages/client/generate.ts: don't edit. */
export interface paths {
    "/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened, newest first
         * @description Emails, events, starts of workflows and sent campaigns in one list. A cursor stays valid when something is added or deleted; it is null on the last page. `metadata` depends on the type. Of `email.*`: `emailId`, `subject`, `source`, `campaignId`, `templateId`, `occurredAt` (when it happened, where `timestamp` is when the service took note of it), of a click `url`, of a bounce `bounceType` and `reason`. Of `event.tracked`, `contact.*` and `segment.*`: `eventName` and `data`. Of `workflow.started`: `executionId`, `workflowId`, `workflowName`. Of `campaign.sent`: `campaignId`, `campaignName`, `totalRecipients`.
         */
        get: {
            parameters: {
                query?: {
                    contactId?: string;
                    cursor?: string;
                    /** @description ISO 8601 date or timestamp; a date is that day to its end, in UTC */
                    endDate?: string;
                    limit?: number;
                    /** @description ISO 8601 date or timestamp, not after `endDate`; a date is that day from its beginning, in UTC */
                    startDate?: string;
                    /** @description One or several, separated by commas; see `GET /activity/types` */
                    types?: string | string[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Activity"][];
                            hasMore: boolean;
                            /** @description Of the whole list, on the first page only; later pages say 0. */
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
        /** How much happened in the last minutes */
        get: {
            parameters: {
                query?: {
                    /** @description At most 1,440: a day */
                    minutes?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * Figures of emails, events and workflows
         * @description Of all time, or of the UTC days from that of `startDate` to that of `endDate`. Emails count on the day on which they were sent, opened or clicked, whenever the service heard of it.
         */
        get: {
            parameters: {
                query?: {
                    /** @description ISO 8601 date or timestamp; a date is that day to its end, in UTC */
                    endDate?: string;
                    /** @description ISO 8601 date or timestamp, not after `endDate`; a date is that day from its beginning, in UTC */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
        /** The types of activity */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            types: ("email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.failed" | "email.received" | "contact.subscribed" | "contact.unsubscribed" | "segment.entry" | "segment.exit" | "event.tracked" | "campaign.sent" | "workflow.started")[];
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
         * What is going to happen, the soonest first
         * @description Scheduled campaigns (`campaign.scheduled`) and executions that sleep or wait until a time (`workflow.waiting`); `timestamp` is when. What is late is still in it. Of `campaign.scheduled` the metadata has `campaignId`, `campaignName`, `subject`; of `workflow.waiting` `executionId`, `workflowId`, `workflowName`, `stepType`, `stepName` and `waitingFor`, the event that may end the wait before.
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
                /** @description Default Response */
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
        /** All campaigns in numbers */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
    "/analytics/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of emails, day by day
         * @description UTC days, by default the last 30; `startDate` and `endDate` stand for their days, both of them included. An end before the beginning, or more than 365 days, is a 422. Every day is there, the oldest first. An email counts once in each column, on the day on which it was sent, delivered, first opened and so on, whenever the service heard of it.
         */
        get: {
            parameters: {
                query?: {
                    /** @description How many days, up to `endDate` or today, where no `startDate` is given; at most 365 */
                    days?: number;
                    /** @description ISO 8601 date or timestamp; a date is that day to its end, in UTC */
                    endDate?: string;
                    /** @description ISO 8601 date or timestamp, not after `endDate`; a date is that day from its beginning, in UTC */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnalyticsDay"][];
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
         * The campaigns that most people have opened
         * @description Those that were sent to anybody, most opens first; of all time, or those whose sending began between `startDate` and `endDate`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description ISO 8601 date or timestamp; a date is that day to its end, in UTC */
                    endDate?: string;
                    limit?: number;
                    /** @description ISO 8601 date or timestamp, not after `endDate`; a date is that day from its beginning, in UTC */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * The most frequent events
         * @description The service's own are among them. UTC days, by default the last 30; `startDate` and `endDate` stand for their days, both of them included. An end before the beginning, or more than 365 days, is a 422.
         */
        get: {
            parameters: {
                query?: {
                    /** @description How many days, up to `endDate` or today, where no `startDate` is given; at most 365 */
                    days?: number;
                    /** @description ISO 8601 date or timestamp; a date is that day to its end, in UTC */
                    endDate?: string;
                    limit?: number;
                    /** @description ISO 8601 date or timestamp, not after `endDate`; a date is that day from its beginning, in UTC */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
                /** @description Default Response */
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
                /** @description Default Response */
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
                /** @description Default Response */
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
                /** @description Default Response */
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
                /** @description Default Response */
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
                /** @description Default Response */
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
         * Asks for a new password
         * @description The link of a mail, where there is no dashboard.
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
                /** @description Default Response */
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
         * Changes the password
         * @description By the form of the page: the field `password`.
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
         *     If the installation requires verified addresses, it sends the verification email. Until the address is verified, all endpoints except `GET /users/@me` and `/auth/*` return 403 `EMAIL_VERIFICATION_REQUIRED`.
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
                /** @description Default Response */
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
         * Asks whether to verify an address
         * @description The link of a mail, where there is no dashboard. Changes nothing: mail scanners follow links.
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
                /** @description Default Response */
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
         * Verifies an address
         * @description By the button of the page.
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
         * A link of a tracked mail
         * @description Records that the link was clicked, and leads to where it led in the mail. A token that was not made here is a 404.
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
         * @description `search` looks in name, subject and sender address, in any case. An unrecognised `sort` or `dir` falls back to createdAt and desc. The counters of a campaign that has ended are those of its end.
         */
        get: {
            parameters: {
                query?: {
                    dir?: "asc" | "desc";
                    page?: number;
                    pageSize?: number;
                    search?: string;
                    sort?: "createdAt" | "name" | "updatedAt";
                    /** @description Any other value is a 400 */
                    status?: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * @description A draft. Of `segmentId` and `audienceCondition` only the one that the audience type uses is kept. An unverified sender domain is a 403; a segment or template that is not there a 404; a condition that breaks a rule a 422 that names each place in it, one that names a segment that is not there a 400.
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
                        /** @description Required when `audienceType` is FILTERED, otherwise ignored */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        /** @enum {string} */
                        audienceType: "ALL" | "SEGMENT" | "FILTERED";
                        /** @description HTML, with `{{ variable }}` placeholders. Required without `templateId` */
                        body?: string;
                        description?: string | null;
                        /** @description Required without `templateId`. Its domain must be verified */
                        from?: string;
                        fromName?: string | null;
                        name: string;
                        replyTo?: string | null;
                        /** @description Required when `audienceType` is SEGMENT, otherwise ignored */
                        segmentId?: string | null;
                        /** @description Required without `templateId` */
                        subject?: string;
                        /** @description A template that fills what of subject, body, from, fromName, replyTo and type is left out */
                        templateId?: string | null;
                        /**
                         * @description MARKETING, or the template's, when left out
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * One campaign
         * @description Its counters are of this moment. A malformed uuid in the path is a 422; an unknown campaign and one of another project are a 404.
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
                /** @description Default Response */
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
        /**
         * Replace a campaign
         * @description DRAFT and SCHEDULED only, otherwise 409. The same fields are required as for a new one; what is left out becomes null or its default. A scheduled campaign keeps its date.
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
                        /** @description Required when `audienceType` is FILTERED, otherwise ignored */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        /** @enum {string} */
                        audienceType: "ALL" | "SEGMENT" | "FILTERED";
                        /** @description HTML, with `{{ variable }}` placeholders. Required without `templateId` */
                        body?: string;
                        description?: string | null;
                        /** @description Required without `templateId`. Its domain must be verified */
                        from?: string;
                        fromName?: string | null;
                        name: string;
                        replyTo?: string | null;
                        /** @description Required when `audienceType` is SEGMENT, otherwise ignored */
                        segmentId?: string | null;
                        /** @description Required without `templateId` */
                        subject?: string;
                        /** @description A template that fills what of subject, body, from, fromName, replyTo and type is left out */
                        templateId?: string | null;
                        /**
                         * @description MARKETING, or the template's, when left out
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
        post?: never;
        /**
         * Delete a campaign
         * @description 409 while it is SCHEDULED or SENDING, and while its last emails are being handed over after a cancellation. Its emails stay in the log.
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
                /** @description Deleted */
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
         * @description SCHEDULED and SENDING only, otherwise 409. What was not handed to the mail server never goes out. Returns the campaign, CANCELLED.
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
                /** @description Default Response */
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
         * @description A new draft with the same content and audience, named "… (copy)".
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
                /** @description Default Response */
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
    "/campaigns/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a campaign's recipients, and what became of each
         * @description Those of the snapshot that is taken when sending starts, in its order; before there are none. `status` chooses those whose email has exactly this status now: who has clicked is CLICKED, no longer OPENED. A malformed uuid in the path is a 422; an unknown campaign and one of another project are a 404.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    status?: "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["CampaignRecipient"][];
                            hasMore: boolean;
                            /** @description Of the whole list, on the first page only; later pages say 0. */
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
         * Send a campaign, now or at a date
         * @description DRAFT and SCHEDULED only, otherwise 409; a new date replaces the old one. MARKETING and HEADLESS reach subscribed contacts whose address is not suppressed, TRANSACTIONAL all. The audience is a snapshot of the moment when sending starts; nobody to send to now is a 400. The sender domain must still be verified (403).
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
                        /** @description When to send; left out or null: now. Any date that JavaScript's `Date` reads, in UTC where it carries no zone. No date, or one in the past: 400 */
                        scheduledFor?: string | null;
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * Results of a campaign
         * @description The same numbers as in the campaign, and rates.
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
                /** @description Default Response */
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
         * Send a test to one address
         * @description In any state. The subject is prefixed with `[TEST] `, and the data is that of the contact of the address if there is one. Counted nowhere. `id` is the email's, see `GET /emails/:id`.
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
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * See whom an audience reaches
         * @description Counts by the rules of sending, and sends nothing: MARKETING and HEADLESS reach the subscribed contacts whose address is not suppressed, TRANSACTIONAL all.
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
                        /** @description Required when `audienceType` is FILTERED, otherwise ignored */
                        audienceCondition?: components["schemas"]["ConditionTreeInput"] | null;
                        /** @enum {string} */
                        audienceType: "ALL" | "SEGMENT" | "FILTERED";
                        /** @description Required when `audienceType` is SEGMENT, otherwise ignored */
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
                /** @description Default Response */
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
        /** Which integrations are enabled */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * @description A snoozed contact is not subscribed, so `status=unsubscribed` and `subscribed=false` show it too. A cursor belongs to its `sort`, and stays valid when contacts are added or deleted; it is null on the last page.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    dir?: "asc" | "desc";
                    limit?: number;
                    /** @description A part of the address, in any case */
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
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Contact"][];
                            hasMore: boolean;
                            /** @description Of the whole list, on the first page only; later pages say 0. */
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
         * Create or update the contact of an address
         * @description 201 for a new contact, 200 for a known one. Without `subscribed` a new contact is subscribed and a known one stays as it is. `data` is merged into what is stored: `null` removes a field, an empty string is ignored, `{ value, persistent: true }` stores its value, and `{ value, persistent: false }`, which belongs to sends and events, stores nothing. Reserved keys are dropped. A contact holds at most 100 keys and 64 KiB.
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
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UpsertedContact"];
                    };
                };
                /** @description Default Response */
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
        /** One contact */
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
                /** @description Default Response */
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
         * Delete a contact for good
         * @description Its events, segment memberships and workflow executions go with it. Marketing and headless emails that were not handed over are cancelled; transactional ones still go out, and sent ones stay in the log.
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
                /** @description Deleted */
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
         * Change a contact
         * @description Only what is given changes. A different `subscribed` writes the event `contact.subscribed` or `contact.unsubscribed`, and writing it ends a snooze. A future `snoozedUntil` makes the contact unsubscribed until then; null ends the snooze and leaves `subscribed` as it is. 409 when another contact has the address. `data` is merged into what is stored: `null` removes a field, an empty string is ignored, `{ value, persistent: true }` stores its value, and `{ value, persistent: false }`, which belongs to sends and events, stores nothing. Reserved keys are dropped. A contact holds at most 100 keys and 64 KiB.
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
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * Delete up to 1,000 contacts for good
         * @description Queued: see `GET /contacts/bulk/:jobId`. By the rules of `DELETE /contacts/:id`. Ids of other projects count as failures.
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
                /** @description Default Response */
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
         * @description Queued: see `GET /contacts/bulk/:jobId`. Each contact that was not subscribed gets the event `contact.subscribed`; a snooze ends. Ids of other projects count as failures.
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
                /** @description Default Response */
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
         * @description Queued: see `GET /contacts/bulk/:jobId`. Each contact that was subscribed gets the event `contact.unsubscribed`; a snooze ends. Ids of other projects count as failures.
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
                /** @description Default Response */
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
        /** How far a bulk job is */
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
                /** @description Default Response */
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
         * The fields of the contacts
         * @description The standard fields, and every key of the data of any contact, by name.
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
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            count: number;
                            fields: {
                                /** @description How many of the contacts have it, in percent */
                                coverage: number;
                                /**
                                 * @example email
                                 * @example data.plan
                                 */
                                field: string;
                                /**
                                 * @description Of most values; a date is a text that is an ISO 8601 date or timestamp
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
         * @description 409 while it is used; a standard field is a 400. In steps of some thousand contacts: a repeat goes on where an interrupted one ended.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description With or without `data.` in front */
                    field: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
    "/contacts/fields/{field}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a field is used
         * @description In the conditions of segments and campaigns, and in the steps of workflows. A standard field can not be deleted.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description With or without `data.` in front */
                    field: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * The values of a field
         * @description Distinct, the most frequent first; `count` is how many this answer has.
         */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description With or without `data.` in front */
                    field: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * @description A form (`multipart/form-data`) with the file in the part `file`: at most 5 MB (else 413), UTF-8, commas, a header line. The column `email` is needed; `subscribed` takes true, 1, yes, false, 0 and no; every other column becomes data: `true` and `false` booleans, plain decimal numbers numbers (never with a leading zero or plus, or more than 15 digits), else text. Blanks around a cell do not count, and an empty cell is not given. A new contact is subscribed unless its row says otherwise; a known one keeps its subscription unless its row has it. Where an address comes twice, the last row counts. Bad rows are refused one by one, with line and reason. Queued: see `GET /contacts/import/:jobId`. A file that no row could make good (binary, another encoding, no column `email`) is a 422.
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
                /** @description Default Response */
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
        /** How far an import is */
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
                /** @description Default Response */
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
         * Which addresses are contacts
         * @description Up to 500 addresses; answered as contacts are kept (in lower case, the domain in ASCII), each once, in the order of the request. What is no address is not found.
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
                /** @description Default Response */
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
         * @description Answers the DNS records to publish, among them a DKIM key made for this domain, and checks them a first time. From then on they are checked every 5 minutes until the domain is verified, and daily after that; a verified domain whose DKIM record is gone for 72 hours is pending again. 409 when the domain is in this project already, or verified in another one. Sessions: owners and admins only.
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
                         * @description At least two labels of letters, digits and inner hyphens; other scripts are converted to ASCII. No address, URL, wildcard or IP address.
                         * @example mail.example.com
                         */
                        domain: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a domain
         * @description 409 while templates, workflow steps (by their template) or unsent campaigns send from it; `details` names the first 20 of each. Sessions: owners and admins only.
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
                /** @description Default Response */
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
         * @description Asks the DNS and answers the domain with its new status. When the DNS does not answer, the domain comes back unchanged, `lastCheckedAt` included.
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
                /** @description Default Response */
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
         * @description Verified and pending ones, the newest first. A key's project must be the one of the path; a session needs no X-Project-Id here.
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
                /** @description Default Response */
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
    "/emails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One email: status, times, source, error */
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
                /** @description Default Response */
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
         * List events, newest first
         * @description Tracked events and those that the service writes itself. A cursor stays valid when events are added or deleted; it is null on the last page.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    eventName?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Event"][];
                            hasMore: boolean;
                            /** @description Of the whole list, on the first page only; later pages say 0. */
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
         * @description The name is URL-encoded. 409 for a name that is reserved, or that a segment, a campaign or a workflow refers to; the details name them. Events that are tracked meanwhile stay.
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
                /** @description Default Response */
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
         * Where an event is referred to, and how often it happened
         * @description The name is URL-encoded. One that no event has answers zeros.
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
                /** @description Default Response */
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
        /** List a contact's events, newest first */
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
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Event"][];
                            hasMore: boolean;
                            /** @description Of the whole list, on the first page only; later pages say 0. */
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
        /** The usage of the event named `contact` */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
    "/events/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The names of all events
         * @description The service's own are among them. In alphabetical order, at most 10,000.
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
                /** @description Default Response */
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
         * How often each event happened, the most frequent first
         * @description Of all time, or between `startDate` and `endDate`. At most 10,000 names.
         */
        get: {
            parameters: {
                query?: {
                    /** @description ISO 8601 date or timestamp; a date is that day to its end, in UTC */
                    endDate?: string;
                    /** @description ISO 8601 date or timestamp, not after `endDate`; a date is that day from its beginning, in UTC */
                    startDate?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * @description `POST /v1/track` for the dashboard and for servers. Records the event and creates or updates the contact of the address, both or neither. `event` has 1 to 255 characters; `email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.<slug>.entry` and `segment.<slug>.exit` are refused with 422, code `reserved_event`. Without `subscribed` a new contact is subscribed and a known one stays as it is. `data` is merged into the contact by the same rules as on `POST /contacts`; `{ value, persistent: false }` goes into the event only. With the header `Idempotency-Key` a repeat is refused with 409, and its details hold the original answer.
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
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process runs */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * Whether everything that a request needs is there: the database and Temporal
         * @description 503 names what is missing, and is also the answer of a process that is stopping. Without Temporal alone the API still accepts requests: what it accepts is carried out when Temporal is back.
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
                /** @description Default Response */
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
    "/manage/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows the preferences
         * @description The state of now, and a button for each other one.
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
         * Changes the preferences
         * @description The form field `action`: subscribe, unsubscribe, snooze-30, snooze-60 or snooze-90 (days). Any other changes nothing.
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
         * The pixel of a tracked mail
         * @description Records that the mail was opened. The token ends with `.gif`; one that was not made here is a 404.
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
         * @description For all members. In the order in which they came, the owner first.
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
                /** @description Default Response */
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
         * Make a user a member
         * @description For the owner and admins. 404 `USER_NOT_FOUND` for an address without an account, 409 `CONFLICT` for a member. Nobody else can become the owner.
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
                /** @description Default Response */
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
         * @description For the owner and admins. The owner can not be removed, and nobody can remove themselves: 403 `FORBIDDEN`. 404 `USER_NOT_FOUND` for a user who is no member.
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
                /** @description Removed */
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
         * @description For the owner and admins. The owner's role can not be changed: 403 `FORBIDDEN`. 404 `USER_NOT_FOUND` for a user who is no member.
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
                /** @description Default Response */
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
         * A project's reputation
         * @description For every member; anybody else gets 404. A level is `warning` or `critical` from these rates on: bounces 5 % / 10 % over 7 days, 4 % / 8 % over all time; complaints 0.075 % / 0.15 % over 7 days, 0.03 % / 0.12 % over all time. Rates count from 100 emails, and a level needs 5 / 10 bounces or 3 / 5 complaints. Bounces are permanent ones. A critical project is disabled within seconds: what runs for it is cancelled, what is queued is not handed over, and requests that change something are 403 `PROJECT_DISABLED`. `PATCH /users/@me/projects/:id` with `{ "disabled": false }` enables it again; the levels here stay what the figures say.
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
                /** @description Default Response */
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
         * How far a project has been set up
         * @description For all members.
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
                /** @description Default Response */
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
    "/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List segments
         * @description All of them, the newest first.
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
                /** @description Default Response */
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
         * @description A dynamic one needs a condition. What is wrong in the condition is a 422 that names each place, such as `condition.groups.0.filters.1.operator`. A segment that it names must be one of the project, and none may name itself by way of others: 400.
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
                        /** @description Required for DYNAMIC, ignored for STATIC */
                        condition?: components["schemas"]["ConditionTreeInput"] | null;
                        description?: string | null;
                        name: string;
                        /**
                         * @description Whether entries and exits are events: of a dynamic segment when it is computed (every 5 minutes, or when asked for), of a static one at once
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
                /** @description Default Response */
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
        /** One segment */
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
                /** @description Default Response */
                200: {
                    headers: {
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
         * @description 409 while a campaign that is SCHEDULED or SENDING, the condition of another segment or a CONDITION step of a workflow uses it. Drafts forget it.
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
                /** @description Deleted */
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
         * Change a segment
         * @description Only what is given changes; `type` and the slug never do. What is wrong in the condition is a 422 that names each place, such as `condition.groups.0.filters.1.operator`. A segment that it names must be one of the project, and none may name itself by way of others: 400. A tracked segment's entries and exits by a new condition come with the next compute; one that is no longer tracked forgets its members.
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
                        /** @description Ignored for a static segment; null, as that is shown with, is a 422 for a dynamic one */
                        condition?: components["schemas"]["ConditionTreeInput"] | null;
                        description?: string | null;
                        name?: string;
                        /** @description Whether entries and exits are events: of a dynamic segment when it is computed (every 5 minutes, or when asked for), of a static one at once */
                        trackMembership?: boolean;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
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
         * @description Writes who has joined and left, with one event `segment.<slug>.entry` or `segment.<slug>.exit` each. A segment that is static or not tracked is a 400.
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
                /** @description Default Response */
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
         * The contacts of a segment
         * @description The newest first; of this moment for a dynamic segment.
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
                /** @description Default Response */
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
         * @description A dynamic segment is a 400.
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
                         * @description Whether addresses without a contact get one
                         * @default false
                         */
                        createMissing?: boolean;
                        emails: string[];
                        /**
                         * @description Of contacts that are created; known ones stay as they are
                         * @default true
                         */
                        subscribed?: boolean;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Contacts that were no members before, created ones included */
                            added: number;
                            created: number;
                            /** @description Addresses without a contact */
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
         * @description A dynamic segment is a 400; addresses that are no members are no error.
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
                /** @description Default Response */
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
         * Count a segment anew
         * @description No events, and no membership is written.
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
                /** @description Default Response */
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
         * Asks whether to subscribe
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
         * Subscribes
         * @description By the button of the page.
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
         * @description Beyond the specification. The newest first. A suppressed address gets no MARKETING or HEADLESS mail, whatever its contact's `subscribed` says, and even when the contact is deleted and made anew. Permanent bounces and complaints suppress an address, and unsubscribe its contact. TRANSACTIONAL mail still goes.
         */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    reason?: "complaint" | "bounce" | "manual";
                    /** @description A part of the address, in any case */
                    search?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string | null;
                            data: components["schemas"]["Suppression"][];
                            hasMore: boolean;
                            /** @description Of the whole list, on the first page only; later pages say 0. */
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
         * @description Beyond the specification. It need not be a contact's; a contact stays as it is, and only the list keeps mail away. 201 when it was not suppressed; else 200, and what is known of it stays, unless the new reason is a stronger one (a complaint before a bounce before a decision by hand).
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
                        /** @description Why, in your own words */
                        detail?: string | null;
                        email: string;
                        /**
                         * @description Another one than `manual` is for a list that comes from elsewhere
                         * @default manual
                         * @enum {string}
                         */
                        reason?: "complaint" | "bounce" | "manual";
                    };
                };
            };
            responses: {
                /** @description It was suppressed already */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Suppression"];
                    };
                };
                /** @description Default Response */
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
         * Why an address is suppressed
         * @description Beyond the specification. 404 `SUPPRESSION_NOT_FOUND` when it is not.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The address, URL-encoded */
                    email: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
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
         * Lift a suppression
         * @description Beyond the specification. The contact does not become subscribed by it. A reader who subscribes on the page behind a link of an email to that very address lifts a bounce or a complaint too.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The address, URL-encoded */
                    email: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Lifted */
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
         * @description `search` looks for a part of the name, the description or the subject, in any case. An unrecognised `type` is 422.
         */
        get: {
            parameters: {
                query?: {
                    dir?: "asc" | "desc";
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
                /** @description Default Response */
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
         * @description Subject and body must parse as templates: what is broken is 422 with its line and column. 403 when the domain of `from` is not verified.
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
                        /** @description HTML, with `{{ variable }}` placeholders */
                        body: string;
                        /** @description Internal */
                        description?: string | null;
                        /** @description Its domain must be verified */
                        from: string;
                        fromName?: string | null;
                        /** @description Internal */
                        name: string;
                        replyTo?: string | null;
                        subject: string;
                        /**
                         * @default MARKETING
                         * @enum {string}
                         */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
        /** One template */
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
                /** @description Default Response */
                200: {
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
        put?: never;
        post?: never;
        /**
         * Delete a template
         * @description 409 while a workflow step uses it. Campaigns that were made from it keep their content.
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
                /** @description Deleted */
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
         * Change a template
         * @description Only what is given changes, under the rules of creation; null clears an optional field. Emails that were accepted before keep the content that they had.
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
                        /** @description HTML, with `{{ variable }}` placeholders */
                        body?: string;
                        /** @description Internal */
                        description?: string | null;
                        /** @description Its domain must be verified */
                        from?: string;
                        fromName?: string | null;
                        /** @description Internal */
                        name?: string;
                        replyTo?: string | null;
                        subject?: string;
                        /** @enum {string} */
                        type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
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
         * @description Answers the new template, with its id; its name is the old one and ` (copy)`.
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
                /** @description Default Response */
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
    "/templates/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a template is used */
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
                /** @description Default Response */
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
    "/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Asks whether to unsubscribe
         * @description Changes nothing: mail scanners follow links.
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
         * Unsubscribes
         * @description By the button of the page, or by a mailbox provider with `List-Unsubscribe=One-Click` (RFC 8058).
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
         * An uploaded image
         * @description What `url` of an upload leads to. Needs no key. May be kept for ever; with `If-None-Match` it is a 304.
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
         * Upload an image for the bodies of templates
         * @description A form (`multipart/form-data`) with the image in the part `image`: PNG, JPEG, GIF or WebP by its content, at most 10 MB (else 413). SVG, anything else, and a file that is something else besides an image (an archive behind it, a page in its comment) is a 415. The answer has the address for `<img src>`; it stays until the project is deleted.
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
                /** @description Default Response */
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
        /** The logged-in user */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            email: string;
                            emailVerified: boolean;
                            id: string;
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
    "/users/@me/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The projects that the user is a member of
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
                /** @description Default Response */
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
         * @description The user becomes its owner. The secret key is shown in this answer only.
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
                /** @description Default Response */
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
         * Delete a project with everything in it
         * @description For its owner only; irreversible. Campaigns, jobs and workflow executions under way are cancelled, and emails that were not handed over never go out. A disabled project can be deleted too.
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
                /** @description Deleted */
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
         * Change a project's settings
         * @description For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. What is not given stays. A disabled project: 403 `PROJECT_DISABLED`, unless the body is `{ "disabled": false }`, which enables it again: what was cancelled stays so, and only what comes from then on can disable it for its reputation once more.
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
                        /** @description false, and nothing else beside it, enables a project that was disabled */
                        disabled?: boolean;
                        language?: string;
                        name?: string;
                        /** @enum {string} */
                        tracking?: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * What the project has sent this month
         * @description For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. Works without a payment provider.
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
                /** @description Default Response */
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
         * Invoices, newest first
         * @description For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. Without a configured payment provider 404 `BILLING_DISABLED`. Empty before the first checkout. The billing portal has all of them.
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
                /** @description Default Response */
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
         * How many emails the project may send a month, and has sent
         * @description For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. Counted by calendar month (UTC): emails of workflows, of campaigns, and of `/v1/send`, as they are accepted; test mails are not. At 80 % the project's owner and admins get a mail, once a month. At the limit `/v1/send` answers 429 and a campaign 403, both `BILLING_LIMIT_EXCEEDED`, and a SEND_EMAIL step is skipped and says why. Works without a payment provider.
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
                /** @description Default Response */
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
         * Set limits
         * @description For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. null takes a limit away; what is not given stays. It holds for whatever is sent from then on. A disabled project: 403 `PROJECT_DISABLED`. Works without a payment provider.
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
                /** @description Default Response */
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
         * Change or end a subscription
         * @description For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. Without a configured payment provider 404 `BILLING_DISABLED`. 409 before the first checkout. For a disabled project too.
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
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The payment provider's page, for the user's browser */
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
         * Begin a subscription
         * @description For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. Without a configured payment provider 404 `BILLING_DISABLED`. 409 when the project has a subscription; 403 `PROJECT_DISABLED` when it is disabled.
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
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description The payment provider's page, for the user's browser */
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
         * Replace both keys of a project
         * @description For its owner and admins. The old keys stop working at once. The secret key is shown in this answer only. A disabled project takes new keys too.
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
                /** @description Default Response */
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
         * Delete everything in a project but the project itself
         * @description For its owner and admins; irreversible. First everything that runs is cancelled; then contacts, templates, campaigns, segments, workflows, events and emails are deleted, with what hangs on them. The project keeps its settings, keys, members and domains, and the suppressed addresses and figures that its reputation is judged by. The answer comes when all is gone; of a large project that takes minutes, and if it is cut short, nothing runs any more, a part of the content is gone, and another call goes on. What is written meanwhile goes too, or stays. A disabled project: 403 `PROJECT_DISABLED`.
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
                /** @description Default Response */
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
         * A project's reputation
         * @description For every member; anybody else gets 404. A level is `warning` or `critical` from these rates on: bounces 5 % / 10 % over 7 days, 4 % / 8 % over all time; complaints 0.075 % / 0.15 % over 7 days, 0.03 % / 0.12 % over all time. Rates count from 100 emails, and a level needs 5 / 10 bounces or 3 / 5 complaints. Bounces are permanent ones. A critical project is disabled within seconds: what runs for it is cancelled, what is queued is not handed over, and requests that change something are 403 `PROJECT_DISABLED`. `PATCH /users/@me/projects/:id` with `{ "disabled": false }` enables it again; the levels here stay what the figures say.
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
                /** @description Default Response */
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
         * @description Sends one email per recipient and upserts each as a contact. The answer comes after the commit; the emails are handed to the mail server right after it, in the order of the recipients. With the header `Idempotency-Key` a repeat is refused with 409, and its details hold the original answer. When one recipient of a MARKETING template is not subscribed, or one of a MARKETING or HEADLESS template has a suppressed address, the whole request is refused (400 `CONTACT_UNSUBSCRIBED`) and nothing is sent.
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
                            /** @description base64 */
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
                        /** @description HTML, with `{{ variable }}` placeholders */
                        body?: string;
                        data?: {
                            [key: string]: unknown;
                        };
                        from?: string | {
                            email: string;
                            name?: string | null;
                        };
                        /** @description Those that make up the mail (From, Subject, Content-Type and the like) are refused with 422; so is List-Unsubscribe with a template that is not transactional */
                        headers?: {
                            [key: string]: string;
                        };
                        /**
                         * @deprecated
                         * @description The sender name when `from` is a string
                         */
                        name?: string;
                        reply?: string;
                        subject?: string;
                        subscribed?: boolean;
                        /** Format: uuid */
                        template?: string;
                        /** @description One recipient, or 1 to 1,000; each gets an email of its own */
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
                /** @description Default Response */
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
         * @description Records the event and creates or updates the contact of the address, both or neither. `event` has 1 to 255 characters; `email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.<slug>.entry` and `segment.<slug>.exit` are refused with 422, code `reserved_event`. Without `subscribed` a new contact is subscribed and a known one stays as it is. `data` is merged into the contact by the same rules as on `POST /contacts`; `{ value, persistent: false }` goes into the event only. With the header `Idempotency-Key` a repeat is refused with 409, and its details hold the original answer.
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
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * @description Looks at the form of the address, at the DNS records of its domain, and at lists of providers; no mail server is asked. A text that is no email address is 422. Only `valid` judges, everything else is information. The answer comes within 5 seconds: what the DNS has not answered by then counts as not found, and `reasons` says so. Results of a domain are kept for up to a minute.
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
                /** @description Default Response */
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
         * The payment provider's notifications
         * @description Called by Stripe, with its signature: each event is applied once, in any order. 400 without a valid signature; 404 `BILLING_DISABLED` without a configured payment provider.
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
                /** @description Default Response */
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
         * @description For Amazon SNS, not for API users. Takes signature versions 1 and 2, made with a certificate of SNS; subscriptions are confirmed by themselves. Applies bounces, complaints, deliveries, opens and clicks that SES reports, as notifications or as events, each once. A permanent bounce or a complaint unsubscribes the contact. 403: the signature or the topic is not right. 503: SNS tries again.
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
                /** @description Default Response */
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
    "/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows
         * @description With their steps and transitions. `search` looks for a part of the name or the description, in any case.
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
                /** @description Default Response */
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
         * @description It has a TRIGGER step, its `triggerType` is EVENT, and it is disabled: add steps and transitions, then enable it with PATCH.
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
                        /** @description 1 to 255 characters; any event's, also of those that the service writes: `contact.subscribed`, `segment.<slug>.entry`, `email.opened` */
                        eventName: string;
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
        /** One workflow, with its steps and transitions */
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
                /** @description Default Response */
                200: {
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
        put?: never;
        post?: never;
        /**
         * Delete a workflow
         * @description With its steps, its transitions and the executions that have ended; the emails that they sent stay. 409 while it has active executions.
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
                /** @description Deleted */
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
         * Change, enable or disable a workflow
         * @description Only what is given changes, all of it or nothing; null clears the description. Another event is a 409 while the workflow is enabled with active executions, unless the same request disables it. Turning `allowReentry` off keeps out every contact that has been in the workflow before.
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
                        allowReentry?: boolean;
                        description?: string | null;
                        enabled?: boolean;
                        name?: string;
                        triggerConfig?: {
                            /** @description 1 to 255 characters; any event's, also of those that the service writes: `contact.subscribed`, `segment.<slug>.entry`, `email.opened` */
                            eventName: string;
                        };
                        /** @enum {string} */
                        triggerType?: "EVENT";
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
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
         * @description The newest first. An unknown `status` is a 422; a `contactId` that nobody has gives an empty list.
         */
        get: {
            parameters: {
                query?: {
                    contactId?: string;
                    page?: number;
                    pageSize?: number;
                    status?: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Execution"][];
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
         * @description Without an event; the re-entry rule holds as for events. 404: the workflow or the contact is not there. 409: the workflow is disabled; the contact is on its way through it already; or it has been, and the workflow allows no re-entry.
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
                        /** @description Variables of this execution, at most 64 KiB of JSON: for CONDITION steps `event.<key>` and `workflow.<key>`, for templates `{{ key }}`, `{{ event.key }}` and `{{ workflow.key }}` */
                        context?: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
        /** One execution, with the history of its steps */
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
                /** @description Default Response */
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
         * @description RUNNING and WAITING only; one that has ended is a 409, and stays as it is. Emails that its steps have queued still go out. Returns the execution, CANCELLED.
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
                /** @description Default Response */
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
         * Cancel every active execution of a workflow
         * @description Those that are active when the call comes; disable the workflow first to keep new ones from starting. If the call is cut short, what is cancelled stays so, and another call goes on.
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
                /** @description Default Response */
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
         * @description Without transitions. What is wrong in the config is a 422 that names each place, such as `config.amount`; a template that is not in the project is a 404, a segment a 400. 409 while the workflow is enabled with active executions: disable it first.
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
                         * @description By type of step:
                         *     - TRIGGER `{ eventName }`
                         *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? } }`
                         *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`, more than 0 and at most 365 days
                         *     - WAIT_FOR_EVENT `{ eventName, timeout? }`, the timeout in seconds, at most 365 days
                         *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. Fields: those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; `event.<name>` with `triggered` and the like asks whether the contact had that event
                         *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: templates. The URL begins with http:// or https:// and a host, without user name and password. Without a body: `{ contact, workflow, execution, event }`
                         *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`, by the rules of contact data
                         *     - EXIT `{ reason? }`
                         */
                        config?: {
                            [key: string]: unknown;
                        };
                        /** @description The type in words when it is not given */
                        name?: string;
                        /** @description Where an editor draws it */
                        position?: {
                            x: number;
                            y: number;
                        };
                        /** @description Of a SEND_EMAIL: the same as in the config, and counts more */
                        templateId?: string | null;
                        /**
                         * @description Not TRIGGER: a workflow has one
                         * @enum {string}
                         */
                        type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * @description Its transitions go; later steps stay. With `splice=true` its predecessors join its successor, on the branches that they had: of several successors the one without a branch or on `event`; not for a CONDITION (400). The TRIGGER stays (400). Executions that are at the step go on at the successor with splice, and otherwise end as EXITED. 409 while the workflow is enabled with active executions: disable it first.
         */
        delete: {
            parameters: {
                query?: {
                    /** @description Whether the predecessors' transitions lead to the successor then */
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
                /** @description Deleted */
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
         * Change a step
         * @description Only what is given changes. A config is replaced as a whole; that of a SEND_EMAIL keeps its template when it names none, and that of the TRIGGER is the workflow's too. What is wrong in the config is a 422 that names each place, such as `config.amount`; a template that is not in the project is a 404, a segment a 400. A transition whose branch the step would lose, and another `type`, are a 400. Another config or template is a 409 while the workflow is enabled with active executions; name and position are not.
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
                         * @description By type of step:
                         *     - TRIGGER `{ eventName }`
                         *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? } }`
                         *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`, more than 0 and at most 365 days
                         *     - WAIT_FOR_EVENT `{ eventName, timeout? }`, the timeout in seconds, at most 365 days
                         *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. Fields: those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; `event.<name>` with `triggered` and the like asks whether the contact had that event
                         *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: templates. The URL begins with http:// or https:// and a host, without user name and password. Without a body: `{ contact, workflow, execution, event }`
                         *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`, by the rules of contact data
                         *     - EXIT `{ reason? }`
                         */
                        config?: {
                            [key: string]: unknown;
                        };
                        /** @description The type in words when it is not given */
                        name?: string;
                        /** @description Where an editor draws it */
                        position?: {
                            x: number;
                            y: number;
                        };
                        /** @description Of a SEND_EMAIL: the same as in the config, and counts more */
                        templateId?: string | null;
                        /**
                         * @description Only the one that it has
                         * @enum {string}
                         */
                        type?: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
                    };
                };
            };
            responses: {
                /** @description Default Response */
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
         * @description Each of these is a 400: a transition into the TRIGGER, out of an EXIT or from a step to itself; a branch that the step does not have; a second transition on one branch; a loop without a DELAY or WAIT_FOR_EVENT in it. A step that is not in the workflow is a 404. 409 while the workflow is enabled with active executions: disable it first.
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
                        /** @description Of a CONDITION `yes` or `no`, or with `mode: "multi"` the id of a branch or `default`; of a WAIT_FOR_EVENT `event` (or none) or `timeout`; of a WEBHOOK none or `error`; of all others none */
                        branch?: string | null;
                        /** @description Another way to give `branch` */
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
                /** @description Default Response */
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
         * @description 409 while the workflow is enabled with active executions: disable it first.
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
                /** @description Deleted */
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
    "/workflows/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The fields that a CONDITION can ask for
         * @description `contact.email`, `contact.subscribed`, `contact.createdAt`, `contact.updatedAt`, `contact.data.<key>` for each key in the data of contacts, and `event.<key>` for each key in the data of recent events: of those that were tracked, or of the one that `eventName` names. Found in samples of the contacts and of the latest events, so a key that very few have may be missing; a condition may ask for it all the same.
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
                /** @description Default Response */
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
         * The secret that signs the requests of WEBHOOK steps
         * @description Each request of a WEBHOOK step carries the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of the Standard Webhooks specification, so that its receiver can check where it comes from. The secret is the project's, is made at its first use, and stays the same. `webhook-id` is the same for every attempt of a step.
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
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description `whsec_` and base64 */
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
            /** @description A fraction of totalEmailsSent; 0 when nothing was sent */
            clickRate: number;
            /** @description A fraction of totalEmailsSent; 0 when nothing was sent */
            openRate: number;
            /** @description Emails in which somebody clicked, each once */
            totalEmailsClicked: number;
            /** @description Emails that somebody opened, each once */
            totalEmailsOpened: number;
            totalEmailsSent: number;
            /** @description All events, the service's own among them */
            totalEvents: number;
            /** @description Executions that began */
            totalWorkflowsStarted: number;
        };
        ActivityStatsInput: {
            /** @description A fraction of totalEmailsSent; 0 when nothing was sent */
            clickRate: number;
            /** @description A fraction of totalEmailsSent; 0 when nothing was sent */
            openRate: number;
            /** @description Emails in which somebody clicked, each once */
            totalEmailsClicked: number;
            /** @description Emails that somebody opened, each once */
            totalEmailsOpened: number;
            totalEmailsSent: number;
            /** @description All events, the service's own among them */
            totalEvents: number;
            /** @description Executions that began */
            totalWorkflowsStarted: number;
        };
        AnalyticsDay: {
            bounces: number;
            clicks: number;
            complaints: number;
            /** Format: date */
            date: string;
            delivered: number;
            opens: number;
            sent: number;
        };
        AnalyticsDayInput: {
            bounces: number;
            clicks: number;
            complaints: number;
            /** Format: date */
            date: string;
            delivered: number;
            opens: number;
            sent: number;
        };
        AudiencePreview: {
            /** @description Contacts of the audience */
            matched: number;
            /** @description Those of them that are not subscribed */
            unsubscribed: number;
            /** @description Those that a campaign of this type would be sent to */
            willSend: number;
        };
        AudiencePreviewInput: {
            /** @description Contacts of the audience */
            matched: number;
            /** @description Those of them that are not subscribed */
            unsubscribed: number;
            /** @description Those that a campaign of this type would be sent to */
            willSend: number;
        };
        BillingConsumption: {
            campaigns: number;
            /**
             * Format: date-time
             * @description The first moment of the next
             */
            periodEnd: string;
            /**
             * Format: date-time
             * @description The first moment of this calendar month, in UTC
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
             * @description The first moment of the next
             */
            periodEnd: string;
            /**
             * Format: date-time
             * @description The first moment of this calendar month, in UTC
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
                /** @description From 100 % on: nothing more of this kind is accepted this month */
                isBlocked: boolean;
                /** @description From 80 % on */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC); null: no limit */
                limit: number | null;
                /** @description Of the limit; 0 without one */
                percentage: number;
                /** @description Emails accepted this month, without those that were cancelled before they were handed over */
                usage: number;
            };
            transactional: {
                /** @description From 100 % on: nothing more of this kind is accepted this month */
                isBlocked: boolean;
                /** @description From 80 % on */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC); null: no limit */
                limit: number | null;
                /** @description Of the limit; 0 without one */
                percentage: number;
                /** @description Emails accepted this month, without those that were cancelled before they were handed over */
                usage: number;
            };
            workflows: {
                /** @description From 100 % on: nothing more of this kind is accepted this month */
                isBlocked: boolean;
                /** @description From 80 % on */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC); null: no limit */
                limit: number | null;
                /** @description Of the limit; 0 without one */
                percentage: number;
                /** @description Emails accepted this month, without those that were cancelled before they were handed over */
                usage: number;
            };
        };
        BillingLimitsInput: {
            campaigns: {
                /** @description From 100 % on: nothing more of this kind is accepted this month */
                isBlocked: boolean;
                /** @description From 80 % on */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC); null: no limit */
                limit: number | null;
                /** @description Of the limit; 0 without one */
                percentage: number;
                /** @description Emails accepted this month, without those that were cancelled before they were handed over */
                usage: number;
            };
            transactional: {
                /** @description From 100 % on: nothing more of this kind is accepted this month */
                isBlocked: boolean;
                /** @description From 80 % on */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC); null: no limit */
                limit: number | null;
                /** @description Of the limit; 0 without one */
                percentage: number;
                /** @description Emails accepted this month, without those that were cancelled before they were handed over */
                usage: number;
            };
            workflows: {
                /** @description From 100 % on: nothing more of this kind is accepted this month */
                isBlocked: boolean;
                /** @description From 80 % on */
                isWarning: boolean;
                /** @description Emails per calendar month (UTC); null: no limit */
                limit: number | null;
                /** @description Of the limit; 0 without one */
                percentage: number;
                /** @description Emails accepted this month, without those that were cancelled before they were handed over */
                usage: number;
            };
        };
        BulkJob: {
            failedReason: string | null;
            id: string;
            /** @description 0 to 100 */
            progress: number;
            /** @description null until the job has ended. Of a cancelled or failed one, what was done until then. */
            result: {
                errors: {
                    contactId: string;
                    error: string;
                }[];
                /** @description Ids of no contact of the project */
                failureCount: number;
                /** @enum {string} */
                operation: "subscribe" | "unsubscribe" | "delete";
                /** @description Contacts that were so already, and ids that came again */
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
            /** @description 0 to 100 */
            progress: number;
            /** @description null until the job has ended. Of a cancelled or failed one, what was done until then. */
            result: {
                errors: {
                    contactId: string;
                    error: string;
                }[];
                /** @description Ids of no contact of the project */
                failureCount: number;
                /** @enum {string} */
                operation: "subscribe" | "unsubscribe" | "delete";
                /** @description Contacts that were so already, and ids that came again */
                skippedCount: number;
                successCount: number;
                totalRequested: number;
            } | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        Campaign: {
            audienceCondition: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            audienceType: "ALL" | "SEGMENT" | "FILTERED";
            body: string;
            bouncedCount: number;
            clickedCount: number;
            /** Format: date-time */
            createdAt: string;
            deliveredCount: number;
            description: string | null;
            from: string;
            fromName: string | null;
            id: string;
            name: string;
            openedCount: number;
            projectId: string;
            replyTo: string | null;
            scheduledFor: string | null;
            segmentId: string | null;
            /** @description When the last recipient was done */
            sentAt: string | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            subject: string;
            /** @description The template that it was made from */
            templateId: string | null;
            /** @description Recipients of the snapshot that is taken when sending starts */
            totalRecipients: number;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** Format: date-time */
            updatedAt: string;
        };
        CampaignInput: {
            audienceCondition: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            audienceType: "ALL" | "SEGMENT" | "FILTERED";
            body: string;
            bouncedCount: number;
            clickedCount: number;
            /** Format: date-time */
            createdAt: string;
            deliveredCount: number;
            description: string | null;
            from: string;
            fromName: string | null;
            id: string;
            name: string;
            openedCount: number;
            projectId: string;
            replyTo: string | null;
            scheduledFor: string | null;
            segmentId: string | null;
            /** @description When the last recipient was done */
            sentAt: string | null;
            sentCount: number;
            /** @enum {string} */
            status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED";
            subject: string;
            /** @description The template that it was made from */
            templateId: string | null;
            /** @description Recipients of the snapshot that is taken when sending starts */
            totalRecipients: number;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** Format: date-time */
            updatedAt: string;
        };
        CampaignRecipient: {
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient` */
            bounceType: string | null;
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            /** @description null when the contact was deleted */
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            /** @description The address as it was when the campaign began */
            email: string;
            /** @description See `GET /emails/:id` */
            emailId: string;
            error: string | null;
            openedAt: string | null;
            opens: number;
            sentAt: string | null;
            /** @enum {string} */
            status: "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
        };
        CampaignRecipientInput: {
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient` */
            bounceType: string | null;
            clickedAt: string | null;
            clicks: number;
            complainedAt: string | null;
            /** @description null when the contact was deleted */
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            deliveredAt: string | null;
            /** @description The address as it was when the campaign began */
            email: string;
            /** @description See `GET /emails/:id` */
            emailId: string;
            error: string | null;
            openedAt: string | null;
            opens: number;
            sentAt: string | null;
            /** @enum {string} */
            status: "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
        };
        CampaignsSummary: {
            /** @description SCHEDULED or SENDING */
            active: number;
            /** @description Likewise */
            averageClickRate: number;
            /** @description The mean of the completed campaigns that were sent to anybody, as a fraction */
            averageOpenRate: number;
            /** @description SENT */
            completed: number;
            total: number;
        };
        CampaignsSummaryInput: {
            /** @description SCHEDULED or SENDING */
            active: number;
            /** @description Likewise */
            averageClickRate: number;
            /** @description The mean of the completed campaigns that were sent to anybody, as a fraction */
            averageOpenRate: number;
            /** @description SENT */
            completed: number;
            total: number;
        };
        CampaignStats: {
            bouncedCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            bounceRate: number;
            /** @description Cancelled with the campaign, or because the contact unsubscribed before it was their turn */
            cancelledCount: number;
            clickedCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            clickRate: number;
            complainedCount: number;
            deliveredCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            deliveryRate: number;
            failedCount: number;
            openedCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            openRate: number;
            /** @description Still to be handed over */
            pendingCount: number;
            sentCount: number;
            totalRecipients: number;
            /** @description Recipients who used the unsubscribe link, the preferences page or one-click */
            unsubscribedCount: number;
        };
        CampaignStatsInput: {
            bouncedCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            bounceRate: number;
            /** @description Cancelled with the campaign, or because the contact unsubscribed before it was their turn */
            cancelledCount: number;
            clickedCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            clickRate: number;
            complainedCount: number;
            deliveredCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            deliveryRate: number;
            failedCount: number;
            openedCount: number;
            /** @description A fraction of sentCount; 0 when nothing was sent */
            openRate: number;
            /** @description Still to be handed over */
            pendingCount: number;
            sentCount: number;
            totalRecipients: number;
            /** @description Recipients who used the unsubscribe link, the preferences page or one-click */
            unsubscribedCount: number;
        };
        ConditionFilter: {
            /** @description `email`, `subscribed`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`, `email.sent|delivered|opened|clicked|bounced|complained` or `segment.<id>`; a path has at most 64 keys */
            field: string;
            /**
             * @description `equals`, `notEquals`: email (in any case), subscribed, dates, data. `contains`, `notContains`, `startsWith`, `endsWith`: email, data, in any case. `greaterThan`, `lessThan`, `greaterThanOrEqual`, `lessThanOrEqual`: dates, data; a number is compared with numbers, a date with dates, another text with texts. `in`, `notIn`: email, data. `exists`, `notExists`: data; null does not exist. `within`, `olderThan`: dates, data. `triggered`, `notTriggered`, `triggeredWithin`, `triggeredOlderThan` (some such event lies further back), `notTriggeredWithin`: events, emails. `memberOfSegment`, `notMemberOfSegment`: segments. A missing value meets only `notEquals`, `notContains`, `notIn` and `notExists`.
             * @enum {string}
             */
            operator: "equals" | "notEquals" | "contains" | "notContains" | "startsWith" | "endsWith" | "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual" | "in" | "notIn" | "exists" | "notExists" | "within" | "olderThan" | "triggered" | "notTriggered" | "triggeredWithin" | "triggeredOlderThan" | "notTriggeredWithin" | "memberOfSegment" | "notMemberOfSegment";
            /** @description Of the number that `within`, `olderThan`, `triggeredWithin`, `triggeredOlderThan` and `notTriggeredWithin` take */
            unit?: ("minutes" | "hours" | "days") | null;
            /** @description What the operator compares with. A date without a time is that UTC day. At most 1,000 entries in a list */
            value?: unknown;
        };
        ConditionFilterInput: {
            /** @description `email`, `subscribed`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`, `email.sent|delivered|opened|clicked|bounced|complained` or `segment.<id>`; a path has at most 64 keys */
            field: string;
            /**
             * @description `equals`, `notEquals`: email (in any case), subscribed, dates, data. `contains`, `notContains`, `startsWith`, `endsWith`: email, data, in any case. `greaterThan`, `lessThan`, `greaterThanOrEqual`, `lessThanOrEqual`: dates, data; a number is compared with numbers, a date with dates, another text with texts. `in`, `notIn`: email, data. `exists`, `notExists`: data; null does not exist. `within`, `olderThan`: dates, data. `triggered`, `notTriggered`, `triggeredWithin`, `triggeredOlderThan` (some such event lies further back), `notTriggeredWithin`: events, emails. `memberOfSegment`, `notMemberOfSegment`: segments. A missing value meets only `notEquals`, `notContains`, `notIn` and `notExists`.
             * @enum {string}
             */
            operator: "equals" | "notEquals" | "contains" | "notContains" | "startsWith" | "endsWith" | "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual" | "in" | "notIn" | "exists" | "notExists" | "within" | "olderThan" | "triggered" | "notTriggered" | "triggeredWithin" | "triggeredOlderThan" | "notTriggeredWithin" | "memberOfSegment" | "notMemberOfSegment";
            /** @description Of the number that `within`, `olderThan`, `triggeredWithin`, `triggeredOlderThan` and `notTriggeredWithin` take */
            unit?: ("minutes" | "hours" | "days") | null;
            /** @description What the operator compares with. A date without a time is that UTC day. At most 1,000 entries in a list */
            value?: unknown;
        };
        /** @description Its filters and its nested tree must all hold */
        ConditionGroup: {
            conditions?: components["schemas"]["ConditionTree"] | null;
            /** @description May be left out beside `conditions` */
            filters?: components["schemas"]["ConditionFilter"][];
        };
        /** @description Its filters and its nested tree must all hold */
        ConditionGroupInput: {
            conditions?: components["schemas"]["ConditionTreeInput"] | null;
            /** @description May be left out beside `conditions` */
            filters?: components["schemas"]["ConditionFilterInput"][];
        };
        /** @description A condition over contacts: at most 5 levels and 100 filters. A group without a filter counts for nothing; a tree without a filter holds for everybody */
        ConditionTree: {
            groups: components["schemas"]["ConditionGroup"][];
            /**
             * @description Joins the groups
             * @enum {string}
             */
            logic: "AND" | "OR";
        };
        /** @description A condition over contacts: at most 5 levels and 100 filters. A group without a filter counts for nothing; a tree without a filter holds for everybody */
        ConditionTreeInput: {
            groups: components["schemas"]["ConditionGroupInput"][];
            /**
             * @description Joins the groups
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
                /** @description Whether uploads go to object storage; without it they are kept on the local disk */
                storage: boolean;
            };
            urls: {
                api: string;
                dashboard: string;
            };
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
                /** @description Whether uploads go to object storage; without it they are kept on the local disk */
                storage: boolean;
            };
            urls: {
                api: string;
                dashboard: string;
            };
        };
        Contact: {
            /** Format: date-time */
            createdAt: string;
            data: {
                [key: string]: unknown;
            };
            /** @description In lower case; unique in the project */
            email: string;
            id: string;
            /** @description Until then the contact is not subscribed; then it is again */
            snoozedUntil: string | null;
            subscribed: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        ContactFieldUsage: {
            canDelete: boolean;
            contactCount: number;
            /** @description DRAFT, SCHEDULED and SENDING: one that has ended asks no more */
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
            /** @description DRAFT, SCHEDULED and SENDING: one that has ended asks no more */
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
        ContactInput: {
            /** Format: date-time */
            createdAt: string;
            data: {
                [key: string]: unknown;
            };
            /** @description In lower case; unique in the project */
            email: string;
            id: string;
            /** @description Until then the contact is not subscribed; then it is again */
            snoozedUntil: string | null;
            subscribed: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        Domain: {
            /** Format: date-time */
            createdAt: string;
            /** @description In its ASCII form, lower case */
            domain: string;
            id: string;
            /** @description When the DNS last answered */
            lastCheckedAt: string | null;
            projectId: string;
            records: components["schemas"]["DomainRecord"][];
            /**
             * @description FAILED: the DKIM record is right, but the domain is verified in another project
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            verified: boolean;
            verifiedAt: string | null;
        };
        DomainInput: {
            /** Format: date-time */
            createdAt: string;
            /** @description In its ASCII form, lower case */
            domain: string;
            id: string;
            /** @description When the DNS last answered */
            lastCheckedAt: string | null;
            projectId: string;
            records: components["schemas"]["DomainRecordInput"][];
            /**
             * @description FAILED: the DKIM record is right, but the domain is verified in another project
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            verified: boolean;
            verifiedAt: string | null;
        };
        DomainRecord: {
            /** @description The full name, without a final dot */
            name: string;
            /** @enum {string} */
            purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH";
            /** @description Only the DKIM record is: it alone decides whether the domain is verified. The others are advice. */
            required: boolean;
            /**
             * @description PENDING: not found yet; VERIFIED: found and right; FAILED: something else is published under this name
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            /** @enum {string} */
            type: "TXT" | "CNAME";
            value: string;
        };
        DomainRecordInput: {
            /** @description The full name, without a final dot */
            name: string;
            /** @enum {string} */
            purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH";
            /** @description Only the DKIM record is: it alone decides whether the domain is verified. The others are advice. */
            required: boolean;
            /**
             * @description PENDING: not found yet; VERIFIED: found and right; FAILED: something else is published under this name
             * @enum {string}
             */
            status: "PENDING" | "VERIFIED" | "FAILED";
            /** @enum {string} */
            type: "TXT" | "CNAME";
            value: string;
        };
        Email: {
            /** @description A crash or a connection that broke after the content hid whether the mail server took it; see AMBIGUOUS_SEND */
            ambiguous: boolean;
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient` */
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
            from: string;
            fromName: string | null;
            id: string;
            machineClicks: number;
            /** @description By scanners, prefetchers and proxies; `opens` are those of people */
            machineOpens: number;
            /** @description The Message-ID header, the same at every attempt */
            messageId: string;
            /** @description While PENDING */
            nextAttemptAt: string | null;
            openedAt: string | null;
            opens: number;
            replyTo: string | null;
            /** @description The mail server's words */
            response: string | null;
            sentAt: string | null;
            /** @enum {string} */
            source: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST" | "PLATFORM";
            /** @enum {string} */
            status: "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
            /** @description As given, before variables */
            subject: string;
            templateId: string | null;
            to: string;
            toName: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
        };
        EmailInput: {
            /** @description A crash or a connection that broke after the content hid whether the mail server took it; see AMBIGUOUS_SEND */
            ambiguous: boolean;
            attempts: number;
            bouncedAt: string | null;
            bounceReason: string | null;
            /** @description `permanent` or `transient` */
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
            from: string;
            fromName: string | null;
            id: string;
            machineClicks: number;
            /** @description By scanners, prefetchers and proxies; `opens` are those of people */
            machineOpens: number;
            /** @description The Message-ID header, the same at every attempt */
            messageId: string;
            /** @description While PENDING */
            nextAttemptAt: string | null;
            openedAt: string | null;
            opens: number;
            replyTo: string | null;
            /** @description The mail server's words */
            response: string | null;
            sentAt: string | null;
            /** @enum {string} */
            source: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW" | "TEST" | "PLATFORM";
            /** @enum {string} */
            status: "PENDING" | "SENDING" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "CANCELLED";
            /** @description As given, before variables */
            subject: string;
            templateId: string | null;
            to: string;
            toName: string | null;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
        };
        EmailVerification: {
            /** @description The domain has NS, SOA, A, AAAA or MX records; false also when the DNS did not say */
            domainExists: boolean;
            /** @description Trimmed, in lower case, its domain in ASCII */
            email: string;
            /** @description A null MX does not count */
            hasMxRecords: boolean;
            /** @description The domain, or `www.` before it, has an A or AAAA record */
            hasWebsite: boolean;
            /** @description The domain, or one above it, belongs to a service that forwards to other mailboxes (SimpleLogin, addy.io, DuckDuckGo, Firefox Relay, Hide My Email, …) */
            isAlias: boolean;
            /** @description The domain, or one above it, belongs to a service of throw-away addresses */
            isDisposable: boolean;
            /** @description The domain is a provider of personal mailboxes (Gmail, Outlook, Yahoo, …); not where it is disposable, an alias or a typo */
            isPersonalEmail: boolean;
            /** @description `name+tag@…` */
            isPlusAddressed: boolean;
            /** @description The domain looks like a misspelt one of a large provider; `reasons` has the address that may be meant. A provider's own domain never does */
            isTypo: boolean;
            /** @description Sentences: first why `valid` is what it is, then what else was found, or what the DNS did not answer */
            reasons: string[];
            /** @description The domain exists and takes mail: by MX records, or without them at its own address, but not with a null MX. Whether the mailbox exists is not asked */
            valid: boolean;
        };
        EmailVerificationInput: {
            /** @description The domain has NS, SOA, A, AAAA or MX records; false also when the DNS did not say */
            domainExists: boolean;
            /** @description Trimmed, in lower case, its domain in ASCII */
            email: string;
            /** @description A null MX does not count */
            hasMxRecords: boolean;
            /** @description The domain, or `www.` before it, has an A or AAAA record */
            hasWebsite: boolean;
            /** @description The domain, or one above it, belongs to a service that forwards to other mailboxes (SimpleLogin, addy.io, DuckDuckGo, Firefox Relay, Hide My Email, …) */
            isAlias: boolean;
            /** @description The domain, or one above it, belongs to a service of throw-away addresses */
            isDisposable: boolean;
            /** @description The domain is a provider of personal mailboxes (Gmail, Outlook, Yahoo, …); not where it is disposable, an alias or a typo */
            isPersonalEmail: boolean;
            /** @description `name+tag@…` */
            isPlusAddressed: boolean;
            /** @description The domain looks like a misspelt one of a large provider; `reasons` has the address that may be meant. A provider's own domain never does */
            isTypo: boolean;
            /** @description Sentences: first why `valid` is what it is, then what else was found, or what the DNS did not answer */
            reasons: string[];
            /** @description The domain exists and takes mail: by MX records, or without them at its own address, but not with a null MX. Whether the mailbox exists is not asked */
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
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description What came with the event, one-time values included */
            data: {
                [key: string]: unknown;
            };
            /** @description Of the events of an email */
            emailId: string | null;
            id: string;
            name: string;
        };
        EventInput: {
            contactId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description What came with the event, one-time values included */
            data: {
                [key: string]: unknown;
            };
            /** @description Of the events of an email */
            emailId: string | null;
            id: string;
            name: string;
        };
        EventUsage: {
            /** @description Neither reserved nor used */
            canDelete: boolean;
            totalCount: number;
            uniqueContacts: number;
            /** @description Campaigns that have not taken their audience yet, and filter it by this event */
            usedInCampaigns: {
                id: string;
                name: string;
            }[];
            usedInSegments: {
                id: string;
                name: string;
            }[];
            /** @description Workflows that start with it, wait for it, or ask whether it happened */
            usedInWorkflows: {
                id: string;
                name: string;
            }[];
        };
        EventUsageInput: {
            /** @description Neither reserved nor used */
            canDelete: boolean;
            totalCount: number;
            uniqueContacts: number;
            /** @description Campaigns that have not taken their audience yet, and filter it by this event */
            usedInCampaigns: {
                id: string;
                name: string;
            }[];
            usedInSegments: {
                id: string;
                name: string;
            }[];
            /** @description Workflows that start with it, wait for it, or ask whether it happened */
            usedInWorkflows: {
                id: string;
                name: string;
            }[];
        };
        Execution: {
            completedAt: string | null;
            contactId: string;
            /** @description The execution's variables: the data of the event that started it, or the `context` that it was started with, and the data of events that ended its waits */
            context: {
                [key: string]: unknown;
            };
            /** @description Where it is, or where it ended; null before the first step */
            currentStepId: string | null;
            /** @description Why it ended, where that needs words: an EXIT's reason, a failure, a cancellation */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active, the others ends
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            workflowId: string;
        };
        ExecutionInput: {
            completedAt: string | null;
            contactId: string;
            /** @description The execution's variables: the data of the event that started it, or the `context` that it was started with, and the data of events that ended its waits */
            context: {
                [key: string]: unknown;
            };
            /** @description Where it is, or where it ended; null before the first step */
            currentStepId: string | null;
            /** @description Why it ended, where that needs words: an EXIT's reason, a failure, a cancellation */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active, the others ends
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            workflowId: string;
        };
        ExecutionWithHistory: {
            completedAt: string | null;
            contactId: string;
            /** @description The execution's variables: the data of the event that started it, or the `context` that it was started with, and the data of events that ended its waits */
            context: {
                [key: string]: unknown;
            };
            /** @description Where it is, or where it ended; null before the first step */
            currentStepId: string | null;
            /** @description Why it ended, where that needs words: an EXIT's reason, a failure, a cancellation */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active, the others ends
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            /** @description In their order */
            stepExecutions: components["schemas"]["StepExecution"][];
            workflowId: string;
        };
        ExecutionWithHistoryInput: {
            completedAt: string | null;
            contactId: string;
            /** @description The execution's variables: the data of the event that started it, or the `context` that it was started with, and the data of events that ended its waits */
            context: {
                [key: string]: unknown;
            };
            /** @description Where it is, or where it ended; null before the first step */
            currentStepId: string | null;
            /** @description Why it ended, where that needs words: an EXIT's reason, a failure, a cancellation */
            exitReason: string | null;
            id: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * @description RUNNING and WAITING are active, the others ends
             * @enum {string}
             */
            status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";
            /** @description In their order */
            stepExecutions: components["schemas"]["StepExecutionInput"][];
            workflowId: string;
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
            /** Format: binary */
            file: Blob;
        };
        ImportFormInput: {
            /** Format: binary */
            file: Blob;
        };
        ImportJob: {
            failedReason: string | null;
            id: string;
            /** @description 0 to 100 */
            progress: number;
            /** @description null until the job has ended. Of a cancelled or failed one, what was done until then. */
            result: {
                createdCount: number;
                /** @description The first 1,000 */
                errors: {
                    email: string;
                    error: string;
                    /** @description The line of the file on which the row begins; the header is 1 */
                    row: number;
                }[];
                failureCount: number;
                /** @description createdCount and updatedCount */
                successCount: number;
                totalRows: number;
                /** @description Rows whose contact was there, in the project or further up in the file, even where nothing was different */
                updatedCount: number;
            } | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        ImportJobInput: {
            failedReason: string | null;
            id: string;
            /** @description 0 to 100 */
            progress: number;
            /** @description null until the job has ended. Of a cancelled or failed one, what was done until then. */
            result: {
                createdCount: number;
                /** @description The first 1,000 */
                errors: {
                    email: string;
                    error: string;
                    /** @description The line of the file on which the row begins; the header is 1 */
                    row: number;
                }[];
                failureCount: number;
                /** @description createdCount and updatedCount */
                successCount: number;
                totalRows: number;
                /** @description Rows whose contact was there, in the project or further up in the file, even where nothing was different */
                updatedCount: number;
            } | null;
            /** @enum {string} */
            state: "waiting" | "active" | "completed" | "failed" | "cancelled";
        };
        Invoice: {
            /** @description In the currency's smallest unit */
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
            /** @description The provider's word: draft, open, paid, uncollectible, void */
            status: string | null;
            total: number;
        };
        InvoiceInput: {
            /** @description In the currency's smallest unit */
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
            /** @description The provider's word: draft, open, paid, uncollectible, void */
            status: string | null;
            total: number;
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
        Project: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            /** Format: date-time */
            createdAt: string;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @description The public key, `pk_…` */
            public: string;
            /** @description The end of the secret key, to tell it by */
            secretLast4: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectInput: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            /** Format: date-time */
            createdAt: string;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @description The public key, `pk_…` */
            public: string;
            /** @description The end of the secret key, to tell it by */
            secretLast4: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectWithSecret: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            /** Format: date-time */
            createdAt: string;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @description The public key, `pk_…` */
            public: string;
            /** @description The secret key, `sk_…`: shown here and never again */
            secret: string;
            /** @description The end of the secret key, to tell it by */
            secretLast4: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectWithSecretInput: {
            billingLimitCampaigns: number | null;
            billingLimitTransactional: number | null;
            billingLimitWorkflows: number | null;
            /** Format: date-time */
            createdAt: string;
            disabled: boolean;
            disabledReason: string | null;
            id: string;
            language: string;
            name: string;
            /** @description The public key, `pk_…` */
            public: string;
            /** @description The secret key, `sk_…`: shown here and never again */
            secret: string;
            /** @description The end of the secret key, to tell it by */
            secretLast4: string;
            /** @enum {string} */
            tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
            /** Format: date-time */
            updatedAt: string;
        };
        Security: {
            allTime: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`; 0 when nothing was sent */
                bounceRate: number;
                /** @description Of them, those that bounced for good */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server has taken; test sends are none */
                sent: number;
                /** @description Those that bounced for now; no rate counts them */
                transientBounces: number;
            };
            autoDisable: {
                /** @description When the project was last enabled again: what came before does not disable it once more */
                countsFrom: string | null;
                /** @description Whether this installation disables critical projects (`AUTO_PROJECT_DISABLE`) */
                enabled: boolean;
            };
            disabled: boolean;
            disabledAt: string | null;
            disabledReason: string | null;
            /** @description What happened on this UTC day and the six before it */
            last7Days: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`; 0 when nothing was sent */
                bounceRate: number;
                /** @description Of them, those that bounced for good */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server has taken; test sends are none */
                sent: number;
                /** @description Those that bounced for now; no rate counts them */
                transientBounces: number;
            };
            /** @description What was recorded in the last 24 hours, to the hour; it has no level */
            last24Hours: {
                /** @description `bounces` as a fraction of `sent`; 0 when nothing was sent */
                bounceRate: number;
                /** @description Of them, those that bounced for good */
                bounces: number;
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server has taken; test sends are none */
                sent: number;
                /** @description Those that bounced for now; no rate counts them */
                transientBounces: number;
            };
            /**
             * @description The worst of the four levels
             * @enum {string}
             */
            level: "healthy" | "warning" | "critical";
            projectId: string;
        };
        SecurityInput: {
            allTime: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`; 0 when nothing was sent */
                bounceRate: number;
                /** @description Of them, those that bounced for good */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server has taken; test sends are none */
                sent: number;
                /** @description Those that bounced for now; no rate counts them */
                transientBounces: number;
            };
            autoDisable: {
                /** @description When the project was last enabled again: what came before does not disable it once more */
                countsFrom: string | null;
                /** @description Whether this installation disables critical projects (`AUTO_PROJECT_DISABLE`) */
                enabled: boolean;
            };
            disabled: boolean;
            disabledAt: string | null;
            disabledReason: string | null;
            /** @description What happened on this UTC day and the six before it */
            last7Days: {
                /** @enum {string} */
                bounceLevel: "healthy" | "warning" | "critical";
                /** @description `bounces` as a fraction of `sent`; 0 when nothing was sent */
                bounceRate: number;
                /** @description Of them, those that bounced for good */
                bounces: number;
                /** @enum {string} */
                complaintLevel: "healthy" | "warning" | "critical";
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server has taken; test sends are none */
                sent: number;
                /** @description Those that bounced for now; no rate counts them */
                transientBounces: number;
            };
            /** @description What was recorded in the last 24 hours, to the hour; it has no level */
            last24Hours: {
                /** @description `bounces` as a fraction of `sent`; 0 when nothing was sent */
                bounceRate: number;
                /** @description Of them, those that bounced for good */
                bounces: number;
                complaintRate: number;
                complaints: number;
                /** @description Emails that a mail server has taken; test sends are none */
                sent: number;
                /** @description Those that bounced for now; no rate counts them */
                transientBounces: number;
            };
            /**
             * @description The worst of the four levels
             * @enum {string}
             */
            level: "healthy" | "warning" | "critical";
            projectId: string;
        };
        Segment: {
            /** @description When the members of a tracked dynamic segment were last computed */
            computedAt: string | null;
            /** @description null for a static one */
            condition: components["schemas"]["ConditionTree"] | null;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            id: string;
            /** @description As of the last creation, change of the condition, member call, refresh or compute */
            memberCount: number;
            name: string;
            projectId: string;
            /** @description Made of the name at creation, and fixed: part of the events `segment.<slug>.entry` and `segment.<slug>.exit` */
            slug: string;
            trackMembership: boolean;
            /** @enum {string} */
            type: "DYNAMIC" | "STATIC";
            /** Format: date-time */
            updatedAt: string;
        };
        SegmentInput: {
            /** @description When the members of a tracked dynamic segment were last computed */
            computedAt: string | null;
            /** @description null for a static one */
            condition: components["schemas"]["ConditionTreeInput"] | null;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            id: string;
            /** @description As of the last creation, change of the condition, member call, refresh or compute */
            memberCount: number;
            name: string;
            projectId: string;
            /** @description Made of the name at creation, and fixed: part of the events `segment.<slug>.entry` and `segment.<slug>.exit` */
            slug: string;
            trackMembership: boolean;
            /** @enum {string} */
            type: "DYNAMIC" | "STATIC";
            /** Format: date-time */
            updatedAt: string;
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
            hasEnabledWorkflow: boolean;
            hasSubscription: boolean;
            hasVerifiedDomain: boolean;
            /** @description When the last recipient of the latest campaign was final */
            lastCampaignSentAt: string | null;
        };
        SetupStateInput: {
            contactCount: number;
            hasEnabledWorkflow: boolean;
            hasSubscription: boolean;
            hasVerifiedDomain: boolean;
            /** @description When the last recipient of the latest campaign was final */
            lastCampaignSentAt: string | null;
        };
        StepExecution: {
            completedAt: string | null;
            error: string | null;
            id: string;
            /** @description `summary` says in a sentence what happened and why; more by type of step, such as `branch`, `emailId`, `eventId`, `statusCode` */
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
             * @description As it was when the step was reached, like `stepName`: the history outlives the step
             * @enum {string}
             */
            stepType: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            /** @description When a DELAY, or a WAIT_FOR_EVENT's timeout, ends */
            wakeAt: string | null;
        };
        StepExecutionInput: {
            completedAt: string | null;
            error: string | null;
            id: string;
            /** @description `summary` says in a sentence what happened and why; more by type of step, such as `branch`, `emailId`, `eventId`, `statusCode` */
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
             * @description As it was when the step was reached, like `stepName`: the history outlives the step
             * @enum {string}
             */
            stepType: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            /** @description When a DELAY, or a WAIT_FOR_EVENT's timeout, ends */
            wakeAt: string | null;
        };
        Suppression: {
            /** Format: date-time */
            createdAt: string;
            /** @description The words of the mail server or the provider, or those that it was suppressed with */
            detail: string | null;
            /** @description In lower case */
            email: string;
            /** @description The email that it was about, for `GET /emails/:id` */
            emailId: string | null;
            /**
             * @description `bounce`: an email to it bounced for good; `complaint`: its reader called one spam; `manual`: by this endpoint
             * @enum {string}
             */
            reason: "complaint" | "bounce" | "manual";
        };
        SuppressionInput: {
            /** Format: date-time */
            createdAt: string;
            /** @description The words of the mail server or the provider, or those that it was suppressed with */
            detail: string | null;
            /** @description In lower case */
            email: string;
            /** @description The email that it was about, for `GET /emails/:id` */
            emailId: string | null;
            /**
             * @description `bounce`: an email to it bounced for good; `complaint`: its reader called one spam; `manual`: by this endpoint
             * @enum {string}
             */
            reason: "complaint" | "bounce" | "manual";
        };
        Template: {
            body: string;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            from: string;
            fromName: string | null;
            id: string;
            name: string;
            projectId: string;
            replyTo: string | null;
            subject: string;
            /** @enum {string} */
            type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
            /** Format: date-time */
            updatedAt: string;
        };
        TemplateInput: {
            body: string;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            from: string;
            fromName: string | null;
            id: string;
            name: string;
            projectId: string;
            replyTo: string | null;
            subject: string;
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
            /** @description Emails with this template that a mail server has taken */
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
            /** @description Emails with this template that a mail server has taken */
            emailsSent: number;
            workflowSteps: {
                id: string;
                name: string;
                workflowId: string;
                workflowName: string;
            }[];
        };
        TopCampaign: {
            bouncedCount: number;
            clickedCount: number;
            /** @description A fraction of sentCount */
            clickRate: number;
            deliveredCount: number;
            id: string;
            name: string;
            openedCount: number;
            /** @description A fraction of sentCount */
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
            /** @description A fraction of sentCount */
            clickRate: number;
            deliveredCount: number;
            id: string;
            name: string;
            openedCount: number;
            /** @description A fraction of sentCount */
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
            /** @description Against as many days before, as a fraction of the count then: 0.5 is half as many again, -0.5 half as many; 1 where there were none before */
            trend: number;
        };
        TopEventInput: {
            count: number;
            name: string;
            /** @description Against as many days before, as a fraction of the count then: 0.5 is half as many again, -0.5 half as many; 1 where there were none before */
            trend: number;
        };
        TrackedEvent: {
            /** @description The contact's id */
            contact: string;
            /** @description The event's id */
            event: string;
            /** Format: date-time */
            timestamp: string;
        };
        TrackedEventInput: {
            /** @description The contact's id */
            contact: string;
            /** @description The event's id */
            event: string;
            /** Format: date-time */
            timestamp: string;
        };
        Upload: {
            /**
             * @description By its content
             * @enum {string}
             */
            contentType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
            /** @description As the client named it, without a path */
            filename: string;
            key: string;
            /** @description In bytes */
            size: number;
            /** @description Where anybody can have it, for as long as the project is there */
            url: string;
        };
        UploadInput: {
            /**
             * @description By its content
             * @enum {string}
             */
            contentType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
            /** @description As the client named it, without a path */
            filename: string;
            key: string;
            /** @description In bytes */
            size: number;
            /** @description Where anybody can have it, for as long as the project is there */
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
            /** @description In lower case; unique in the project */
            email: string;
            id: string;
            /** @description Until then the contact is not subscribed; then it is again */
            snoozedUntil: string | null;
            subscribed: boolean;
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
            /** @description In lower case; unique in the project */
            email: string;
            id: string;
            /** @description Until then the contact is not subscribed; then it is again */
            snoozedUntil: string | null;
            subscribed: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        Workflow: {
            /** @description false: a contact goes through it once, ever; true: any number of times, one at a time */
            allowReentry: boolean;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description A disabled workflow starts nothing; what runs goes on */
            enabled: boolean;
            id: string;
            name: string;
            projectId: string;
            /** @description In the order of their creation; the TRIGGER is the first */
            steps: components["schemas"]["WorkflowStep"][];
            /** @description By priority, then in the order of their creation */
            transitions: components["schemas"]["WorkflowTransition"][];
            /** @description Also the config of the TRIGGER step: they change together */
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
                 * @description Of most of its values
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
                 * @description Of most of its values
                 * @enum {string}
                 */
                type: "string" | "number" | "boolean" | "date";
            }[];
        };
        WorkflowInput: {
            /** @description false: a contact goes through it once, ever; true: any number of times, one at a time */
            allowReentry: boolean;
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** @description A disabled workflow starts nothing; what runs goes on */
            enabled: boolean;
            id: string;
            name: string;
            projectId: string;
            /** @description In the order of their creation; the TRIGGER is the first */
            steps: components["schemas"]["WorkflowStepInput"][];
            /** @description By priority, then in the order of their creation */
            transitions: components["schemas"]["WorkflowTransitionInput"][];
            /** @description Also the config of the TRIGGER step: they change together */
            triggerConfig: {
                eventName: string;
            };
            /** @constant */
            triggerType: "EVENT";
            /** Format: date-time */
            updatedAt: string;
        };
        WorkflowStep: {
            /**
             * @description By type of step:
             *     - TRIGGER `{ eventName }`
             *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? } }`
             *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`, more than 0 and at most 365 days
             *     - WAIT_FOR_EVENT `{ eventName, timeout? }`, the timeout in seconds, at most 365 days
             *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. Fields: those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; `event.<name>` with `triggered` and the like asks whether the contact had that event
             *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: templates. The URL begins with http:// or https:// and a host, without user name and password. Without a body: `{ contact, workflow, execution, event }`
             *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`, by the rules of contact data
             *     - EXIT `{ reason? }`
             */
            config: {
                [key: string]: unknown;
            };
            id: string;
            name: string;
            /** @description Where an editor draws it */
            position: {
                x: number;
                y: number;
            };
            /** @description Of a SEND_EMAIL: also in its config */
            templateId: string | null;
            /** @enum {string} */
            type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            workflowId: string;
        };
        WorkflowStepInput: {
            /**
             * @description By type of step:
             *     - TRIGGER `{ eventName }`
             *     - SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? } }`
             *     - DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`, more than 0 and at most 365 days
             *     - WAIT_FOR_EVENT `{ eventName, timeout? }`, the timeout in seconds, at most 365 days
             *     - CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. Fields: those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; `event.<name>` with `triggered` and the like asks whether the contact had that event
             *     - WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: templates. The URL begins with http:// or https:// and a host, without user name and password. Without a body: `{ contact, workflow, execution, event }`
             *     - UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`, by the rules of contact data
             *     - EXIT `{ reason? }`
             */
            config: {
                [key: string]: unknown;
            };
            id: string;
            name: string;
            /** @description Where an editor draws it */
            position: {
                x: number;
                y: number;
            };
            /** @description Of a SEND_EMAIL: also in its config */
            templateId: string | null;
            /** @enum {string} */
            type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT";
            workflowId: string;
        };
        WorkflowTransition: {
            branch: string | null;
            fromStepId: string;
            id: string;
            /** @description Order in lists; each way out of a step has one transition */
            priority: number;
            toStepId: string;
            workflowId: string;
        };
        WorkflowTransitionInput: {
            branch: string | null;
            fromStepId: string;
            id: string;
            /** @description Order in lists; each way out of a step has one transition */
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
