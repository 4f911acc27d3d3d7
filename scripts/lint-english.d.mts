export interface Prose {
  /** From 1. */
  line: number;
  text: string;
}

export interface Finding {
  line: number;
  phrase: string;
  advice: string;
}

export function findProse(path: string, text: string): Prose[];
export function checkText(path: string, text: string): Finding[];
