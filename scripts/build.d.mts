/** Brings `dist/` and the dashboard up to date. @returns whether anything was built */
export function build(): Promise<boolean>;

/** Brings the dashboard up to date. @returns whether anything was built */
export function buildDashboard(): Promise<boolean>;
