/** The project of a page: its client and its cache. */
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import createQueryClient, { type OpenapiQueryClient } from 'openapi-react-query';
import { createContext, use, useMemo, type ReactNode } from 'react';
import type { Schemas } from '../../../client/src/index.js';
import type { paths } from '../../../client/src/schema.js';
import { createProjectClient } from './client.js';
import { createCache } from './query.js';
import { StreamGate } from './stream-gate.js';

export interface ProjectApi {
  projectId: string;
  /** For calls outside of React's rendering. Pass the result to `resultOf`. */
  api: ReturnType<typeof createProjectClient>;
  /** Hooks for queries and mutations, by method and path. */
  $api: OpenapiQueryClient<paths>;
  cache: QueryClient;
  /** Lets requests pass when the stream is connected. */
  gate: StreamGate;
}

const known = new Map<string, ProjectApi>();

/** Returns what a project's pages share. Caches are separate, because requests name the project only in a header. */
export function projectApi(projectId: string): ProjectApi {
  const found = known.get(projectId);
  if (found) return found;
  const gate = new StreamGate();
  const api = createProjectClient(projectId, () => gate.wait());
  const created = { projectId, api, $api: createQueryClient(api), cache: createCache(), gate };
  known.set(projectId, created);
  return created;
}

/** Forgets all projects, at the sign-out. */
export const forgetProjects = (): void => known.clear();

interface OpenProject extends ProjectApi {
  /** Its settings, and the caller's role. */
  project: Schemas['Project'];
  /** Whether the caller is an owner or an admin. */
  mayManage: boolean;
}

const ProjectContext = createContext<OpenProject | null>(null);

export function ProjectProvider({ project, children }: { project: Schemas['Project']; children: ReactNode }) {
  const shared = projectApi(project.id);
  const open = useMemo(() => ({ ...shared, project, mayManage: project.role !== 'MEMBER' }), [shared, project]);
  return (
    <ProjectContext value={open}>
      <QueryClientProvider client={shared.cache}>{children}</QueryClientProvider>
    </ProjectContext>
  );
}

export function useProject(): OpenProject {
  const project = use(ProjectContext);
  if (!project) throw new Error('A component outside of ProjectProvider uses a project.');
  return project;
}

/** For `useInfiniteQuery`: the lists of the API continue after a cursor, which is null on the last page. */
export const CURSOR_PAGES = {
  pageParamName: 'cursor',
  initialPageParam: null,
  getNextPageParam: (last: { cursor: string | null }): string | null => last.cursor,
} as const;
