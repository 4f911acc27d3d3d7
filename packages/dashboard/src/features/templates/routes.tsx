import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';
import { SORTS, STATES, TABS, TYPES } from './fields.js';

export interface TemplateFilters {
  search?: string | undefined;
  type?: (typeof TYPES)[number] | undefined;
  state?: (typeof STATES)[number] | undefined;
  sort?: (typeof SORTS)[number] | undefined;
}

const templatesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/templates',
  component: lazyRouteComponent(() => import('./list.js'), 'TemplatesPage'),
  validateSearch: ({ search, type, state, sort }): TemplateFilters => ({
    search: textOf(search),
    type: oneOf(TYPES, type),
    state: oneOf(STATES, state),
    sort: oneOf(SORTS, sort),
  }),
});

const templateRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/templates/$templateId',
  component: lazyRouteComponent(() => import('./detail.js'), 'TemplatePage'),
  validateSearch: ({ tab }): { tab?: (typeof TABS)[number] | undefined } => ({ tab: oneOf(TABS, tab) }),
});

export const templateRoutes = [templatesRoute, templateRoute] as const;
