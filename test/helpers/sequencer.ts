/** The order of the test files of a run. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The kinds of tests in the order in which they run: whole processes first, because they wait the longest. */
const KINDS = ['e2e', 'workflows', 'api', 'unit'];

/** Runs one kind of test after the other, so that no worker ends with a long file while the others are idle. */
export class SlowestKindFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // The base class sorts by failures and durations of the last run, or else by size.
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => KINDS.indexOf(path.basename(path.dirname(moduleId)));
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
