/** The order of the test files of a run. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The kinds of tests in the order in which they run: whole processes first, because they wait the longest. */
const PROJECTS = ['e2e', 'workflows', 'api', 'unit'];

/**
 * Runs the projects one after the other, so that the files of a project without isolation can share a process, and
 * within a project the longest files first, so that no worker ends with a long file while the other one is idle.
 */
export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // The base class sorts by failures and durations of the last run, or else by size.
    const sorted = await super.sort(files);
    const rank = ({ project }: TestSpecification): number => PROJECTS.indexOf(project.name);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
