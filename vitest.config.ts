import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirstSequencer } from './test/helpers/sequencer.js';

/**
 * One project for each kind of test. A project does not inherit the options of the root, so what they share is spread.
 *
 * Without isolation, the files of a project share a process, and with it the loaded modules. Loading them takes longer
 * than most files.
 */
function testProject(name: string, options: { testTimeout?: number } = {}): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      isolate: false,
      pool: 'forks',
      // Limits against hanging. A test that waits for a fact ends earlier, with a message, through `eventually`.
      testTimeout: 90_000,
      hookTimeout: 180_000,
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    // A third worker only takes turns with the servers on a small machine.
    maxWorkers: 2,
    teardownTimeout: 30_000,
    tags: [{ name: 'faults', description: 'The long part of the fault tests: `npm run test:faults`' }],
    sequence: { sequencer: LongestFirstSequencer },
    projects: [
      testProject('e2e', { testTimeout: 180_000 }),
      testProject('workflows'),
      testProject('api'),
      testProject('unit'),
    ],
  },
});
