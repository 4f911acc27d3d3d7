/** The system's Chromium, for tests in a real browser. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PATH = '/usr/bin/chromium';

/** Whether the tests in a browser can run. Prints one line if they cannot. */
export function hasChromium(): boolean {
  const isInstalled = existsSync(PATH);
  if (!isInstalled) console.log(`${PATH} is missing, so the tests in a browser are skipped.`);
  return isInstalled;
}

export const launchChromium = (): Promise<Browser> =>
  // The sandbox needs privileges that containers often lack.
  chromium.launch({ executablePath: PATH, args: ['--no-sandbox'] });
