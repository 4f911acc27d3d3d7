import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf } from '../../routing/search.js';
import { loadPlot } from '../../ui/chart.js';
import { HomePage } from './page.js';
import { DAYS, FIGURES, GROUPS, type AnalyticsView } from './view.js';

const homeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  validateSearch: (search): AnalyticsView => ({
    days: DAYS.find((days) => days === Number(search.days)),
    figure: oneOf(FIGURES, search.figure),
    groupBy: oneOf(GROUPS, search.groupBy),
  }),
  loader: () => void loadPlot(),
  component: HomePage,
});

export const homeRoutes = [homeRoute] as const;
