import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from '../api/query.js';
import { WordsProvider } from '../words/words.js';
import { loadFirstPage, router } from './router.js';

loadFirstPage();

export function Application() {
  return (
    <WordsProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </WordsProvider>
  );
}
