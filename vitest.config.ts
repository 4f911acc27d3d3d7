import { defineConfig } from 'vitest/config';
import { SlowestKindFirstSequencer } from './test/helpers/sequencer.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    pool: 'forks',
    // The files share processes, and with them the loaded modules. Loading them takes longer than most files.
    isolate: false,
    // Whole processes wait for their servers, so two tests do not occupy two processors.
    maxWorkers: 3,
    // Limits against hanging. A test that waits for a fact ends earlier, with a message, through `eventually`.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 30_000,
    // For a loaded machine. A state that is reached ends the wait immediately.
    expect: { poll: { timeout: 30_000 } },
    tags: [
      { name: 'faults', description: 'The long part of the fault tests: `npm run test:faults`' },
      { name: 'journeys', description: 'What people do over several pages: `npm run test:journeys`' },
    ],
    sequence: { sequencer: SlowestKindFirstSequencer },
  },
});
