/** The deliveries of an endpoint: a list with filters, and a panel with the request and its attempts. */
import type { InvalidateQueryFilters } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code.js';
import { SidePanel } from '../../ui/dialog.js';
import { SelectField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { List, type Column } from '../../ui/list.js';
import { Facts } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { Ago, At } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { translateMessage } from '../../words/api-messages.js';
import { useFormat } from '../../words/format.js';
import { STATUSES, type DeliverySearch } from './routes.js';
import { useWebhookWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/webhooks/$webhookId');
const PAGE_SIZE = 50;
/** How often the page looks for news while something waits. */
const REFRESH_MS = 3000;

/** The endpoint, its deliveries, and the list of endpoints. */
export const WEBHOOK_QUERIES: InvalidateQueryFilters = {
  predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/webhooks/{id}') || queryKey[1] === '/webhooks',
};

type Delivery = Schemas['WebhookDelivery'];

const TONES: Record<Delivery['status'], Tone> = {
  PENDING: 'neutral',
  DELIVERED: 'success',
  FAILED: 'danger',
  DISCARDED: 'warning',
};

export function Deliveries({ webhook }: { webhook: Schemas['Webhook'] }) {
  const words = useWebhookWords();
  const { $api, projectId } = useProject();
  const { status, type, delivery } = route.useSearch();
  const navigate = useNavigate();
  const setSearch = (search: DeliverySearch): void =>
    void navigate({
      to: '/projects/$projectId/webhooks/$webhookId',
      params: { projectId, webhookId: webhook.id },
      search: { status, type, delivery, ...search },
      replace: true,
      resetScroll: false,
    });
  const query = $api.useInfiniteQuery(
    'get',
    '/webhooks/{id}/deliveries',
    {
      params: {
        path: { id: webhook.id },
        query: { limit: PAGE_SIZE, ...(status && { status }), ...(type && { type }) },
      },
    },
    {
      ...CURSOR_PAGES,
      // The list may be older than the endpoint, and the other way round.
      refetchInterval({ state }) {
        const showsWaiting = state.data?.pages.some(({ data }) => data.some((one) => one.status === 'PENDING'));
        return webhook.enabled && (webhook.waiting > 0 || showsWaiting) ? REFRESH_MS : false;
      },
    },
  );
  const open = (id: string): void => setSearch({ delivery: id });
  return (
    <section aria-label={words.deliveries} className="grid gap-3">
      <h2 className="text-lg font-semibold">{words.deliveries}</h2>
      <p className="text-muted">{words.deliveriesAbout}</p>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(11rem,1fr))] items-end gap-3">
        <SearchField
          label={words.type}
          value={type ?? ''}
          onSearch={(text) => setSearch({ type: text || undefined })}
        />
        <SelectField
          label={words.status}
          name="status"
          value={status ?? ''}
          onChange={(value) => setSearch({ status: value || undefined })}
          options={[
            { value: '', label: words.all },
            ...STATUSES.map((value) => ({ value, label: words.statuses[value] })),
          ]}
        />
      </div>
      <List
        label={words.deliveries}
        query={query}
        columns={useColumns(open)}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open(id)}
        isFiltered={status !== undefined || type !== undefined}
        onClearFilters={() => setSearch({ status: undefined, type: undefined })}
        firstRun={<FirstRun title={words.noDelivery} about={words.noDeliveryAbout} />}
      />
      <SidePanel
        title={words.delivery}
        isOpen={delivery !== undefined}
        onClose={() => setSearch({ delivery: undefined })}
      >
        {delivery !== undefined && <DeliveryDetails webhookId={webhook.id} deliveryId={delivery} />}
      </SidePanel>
    </section>
  );
}

function useColumns(open: (id: string) => void): Array<Column<Delivery>> {
  const words = useWebhookWords();
  const format = useFormat();
  return [
    {
      id: 'type',
      header: words.type,
      cell: ({ id, type }) => (
        <button type="button" className="font-medium hover:underline" onClick={() => open(id)}>
          {type}
        </button>
      ),
    },
    {
      id: 'status',
      header: words.status,
      cell: ({ status }) => <Badge tone={TONES[status]}>{words.statuses[status]}</Badge>,
    },
    { id: 'attempts', header: words.attempts, align: 'end', cell: ({ attempts }) => format.number(attempts) },
    {
      id: 'last',
      header: words.last,
      isElastic: true,
      isSecondary: true,
      cell: ({ lastStatusCode, lastError }) => (lastError === null ? lastStatusCode : translateMessage(lastError)),
    },
    { id: 'time', header: words.time, align: 'end', cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
  ];
}

function DeliveryDetails({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const words = useWebhookWords();
  const format = useFormat();
  const { $api, cache, mayManage } = useProject();
  const path = { params: { path: { id: webhookId, deliveryId } } };
  const {
    data: delivery,
    error,
    refetch,
  } = $api.useQuery('get', '/webhooks/{id}/deliveries/{deliveryId}', path, {
    refetchInterval: ({ state }) => (state.data?.status === 'PENDING' ? REFRESH_MS : false),
  });
  const retry = $api.useMutation('post', '/webhooks/{id}/deliveries/{deliveryId}/retry', {
    async onSuccess() {
      notify(words.queued);
      await cache.invalidateQueries(WEBHOOK_QUERIES);
    },
  });
  if (error && !delivery) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!delivery) return <Skeleton lines={8} />;
  const { request, log } = delivery;
  return (
    <>
      <Facts
        facts={[
          [words.type, delivery.type],
          ['webhook-id', <code key="id">{delivery.id}</code>],
          [
            words.status,
            <Badge key="status" tone={TONES[delivery.status]}>
              {words.statuses[delivery.status]}
            </Badge>,
          ],
          ...(delivery.nextAttemptAt === null
            ? []
            : [
                [words.nextAttempt, <At key="next" time={delivery.nextAttemptAt} />] satisfies [
                  string,
                  React.ReactNode,
                ],
              ]),
        ]}
      />
      {mayManage && request !== null && (
        <div>
          <Button isBusy={retry.isPending} onClick={() => retry.mutate(path)}>
            {words.again}
          </Button>
        </div>
      )}
      <FormProblem error={retry.error} />
      {request === null ? (
        <p className="text-muted">{words.noBody}</p>
      ) : (
        <>
          <h3 className="font-semibold">{words.body}</h3>
          <CodeBlock label={words.body}>{indent(request.body)}</CodeBlock>
          <h3 className="font-semibold">{words.headers}</h3>
          <CodeBlock label={words.headers}>
            {Object.entries(request.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </CodeBlock>
        </>
      )}
      {log.length > 0 && <h3 className="font-semibold">{words.attempts}</h3>}
      <ol className="grid gap-4">
        {log.toReversed().map((attempt) => (
          <li key={attempt.at} className="grid gap-2 border-t border-line pt-3">
            <span className="flex flex-wrap items-center gap-2">
              <Badge tone={attempt.error === null ? 'success' : 'danger'}>
                {attempt.statusCode ?? words.noResponse}
              </Badge>
              <At time={attempt.at} />
              <span className="text-muted">{words.duration(format.number(attempt.durationMs))}</span>
            </span>
            {attempt.error !== null && <p>{translateMessage(attempt.error)}</p>}
            {attempt.response !== null && attempt.response !== '' && (
              <CodeBlock label={words.response}>{attempt.response}</CodeBlock>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Bodies are JSON of this service. */
const indent = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);
