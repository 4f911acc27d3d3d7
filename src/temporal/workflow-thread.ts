/** One thread for the workflows of all task queues. */
import { Worker } from '@temporalio/worker';

/**
 * With a time limit, Node starts a thread for each of about 30 calls into a workflow's code, to end the call after 5 s. That was half of the
 * time that a workflow needed. Ours have no loop that does not wait for something. The SDK's type has no place for "no limit".
 */
const WITHOUT_TIME_LIMIT = { isolateExecutionTimeoutMs: undefined };

/**
 * Returns a class of Temporal workers that run their workflows in one thread, and read their bundle once. Each worker of
 * the SDK has a thread of its own, which takes 35 MB, although workflows need little time: activities do their work.
 *
 * The workers must have the same workflows and activities. The thread ends with the last of them. If it fails, all of them
 * do.
 */
export function createThreadSharingWorkerClass(): typeof Worker {
  return class ThreadSharingWorker extends Worker {
    static #bundle: ReturnType<typeof Worker.getOrCreateBundle> | undefined;
    static #thread: ReturnType<typeof Worker.createWorkflowCreator> | undefined;
    static #workers = 0;

    protected static override getOrCreateBundle(
      ...options: Parameters<typeof Worker.getOrCreateBundle>
    ): ReturnType<typeof Worker.getOrCreateBundle> {
      return (ThreadSharingWorker.#bundle ??= super.getOrCreateBundle(...options));
    }

    protected static override async createWorkflowCreator(
      ...[bundle, options, logger]: Parameters<typeof Worker.createWorkflowCreator>
    ): ReturnType<typeof Worker.createWorkflowCreator> {
      ThreadSharingWorker.#workers++;
      const unlimited = Object.assign({}, options, WITHOUT_TIME_LIMIT);
      const thread = await (ThreadSharingWorker.#thread ??= super.createWorkflowCreator(bundle, unlimited, logger));
      return {
        createWorkflow: (workflow) => thread.createWorkflow(workflow),
        async destroy() {
          ThreadSharingWorker.#workers--;
          if (ThreadSharingWorker.#workers === 0) await thread.destroy();
        },
      };
    }
  };
}
