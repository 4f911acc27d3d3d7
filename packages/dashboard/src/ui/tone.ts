/** What a color means. */
export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';
