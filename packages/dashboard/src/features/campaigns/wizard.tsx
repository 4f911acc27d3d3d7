/** Prepares a campaign in four steps. Every change is saved by itself. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors, resultOf } from '../../api/query.js';
import { oneOf } from '../../routing/search.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { NextIcon } from '../../ui/icons.js';
import { Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { useAutosave, useSaveOnLeave } from '../editor/autosave.js';
import { ConflictDialog } from '../editor/conflict.js';
import type { SampleContact } from '../editor/contact-picker.js';
import type { Content } from '../editor/content.js';
import { ContentEditor } from '../editor/content-editor.js';
import { LeaveQuestion, SaveStatus } from '../editor/save-status.js';
import { AudienceStep } from './audience.js';
import { RefusedNote, useCopy, useDifferences } from './conflict.js';
import {
  STEPS,
  toPatch,
  toSaved,
  type Campaign,
  type CampaignFields,
  type LoadedCampaign,
  type Step,
} from './model.js';
import { scheduleErrors, usePlan, type Refusal } from './plan.js';
import { ReviewStep } from './review.js';
import { ScheduleStep } from './schedule.js';
import { SenderCard } from './sender.js';
import { VariantsCard } from './variants.js';
import { CampaignStatusBadge } from './status.js';
import { useCampaignWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId/edit');

export function WizardPage() {
  const { campaignId } = route.useParams();
  const { api, projectId } = useProject();
  const load = async (): Promise<LoadedCampaign> => {
    const result = await api.GET('/campaigns/{id}', { params: { path: { id: campaignId } } });
    return { campaign: resultOf(result), etag: result.response.headers.get('ETag') };
  };
  // Always what the server has: edits of an old version would end in a conflict.
  const { data, error, refetch } = useQuery({
    queryKey: ['campaign', campaignId],
    queryFn: load,
    gcTime: 0,
    staleTime: Infinity,
  });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  const isEditable = data.campaign.status === 'DRAFT' || data.campaign.status === 'SCHEDULED';
  if (!isEditable)
    return <Navigate to="/projects/$projectId/campaigns/$campaignId" params={{ projectId, campaignId }} replace />;
  return <Wizard key={campaignId} loaded={data} load={load} />;
}

function Wizard({ loaded, load }: { loaded: LoadedCampaign; load: () => Promise<LoadedCampaign> }) {
  const words = useCampaignWords();
  const { api, cache, projectId } = useProject();
  const { step = 'content' } = route.useSearch();
  const navigate = route.useNavigate();
  const { id } = loaded.campaign;
  const [stored] = useState(() => toSaved(loaded));
  const [campaign, setCampaign] = useState<Campaign>(loaded.campaign);
  const [contact, setContact] = useState<SampleContact | null>(null);
  const [isComparing, setComparing] = useState(false);
  const plan = usePlan(campaign);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  const save = useAutosave<CampaignFields>({
    stored,
    async save(change, etag) {
      const result = await api.PATCH('/campaigns/{id}', {
        params: { path: { id }, ...(etag !== null && { header: { 'If-Match': etag } }) },
        // A scheduled campaign stays complete: the API refuses what is not.
        body: campaign.status === 'DRAFT' ? { ...toPatch(change), draft: true } : toCompletePatch(change),
      });
      setCampaign(resultOf(result));
      setRefusal(null);
      void cache.invalidateQueries({ queryKey: ['get', '/campaigns'] });
      void cache.invalidateQueries({ queryKey: ['get', '/campaigns/{id}'] });
      return result.response.headers.get('ETag');
    },
    async load() {
      const other = await load();
      setComparing(true);
      return toSaved(other);
    },
  });
  const blocker = useSaveOnLeave(save);
  const copy = useCopy();
  const { fields, theirs } = save;
  const keepMine = async (): Promise<boolean> => {
    // A campaign has no versions: without the copy, the other editor's work would be overwritten.
    if (theirs) await copy(theirs.fields, words.theirsOf);
    return save.keepMine();
  };
  const takeTheirs = async (): Promise<void> => {
    await copy(fields, words.mineOf);
    save.takeTheirs();
  };
  const errors = fieldErrors(save.error);
  const open = (next: Step): void => {
    // The errors have been seen, and would take the focus again.
    if (next !== 'schedule') setRefusal(null);
    void navigate({ search: (before) => ({ ...before, step: next === 'content' ? undefined : next }) });
  };
  const contents: Record<Step, ReactNode> = {
    content: (
      <>
        <SenderCard fields={fields} errors={errors} onChange={save.change} />
        <VariantsCard
          key={`variants ${save.revision}`}
          fields={fields}
          campaignBody={campaign.body ?? ''}
          contact={contact}
          onContactChange={setContact}
          errors={errors}
          onChange={save.change}
        />
        <ContentEditor
          key={save.revision}
          content={fields}
          onChange={(change: Partial<Content>) => save.change(change)}
          problems={campaign.problems}
          errors={errors}
          type={fields.type}
          from={fields.from === '' ? null : fields.from}
          contact={contact}
          onContactChange={setContact}
          onGoToSender={() => document.querySelector<HTMLElement>('main [name="from"]')?.focus()}
        />
      </>
    ),
    audience: (
      <AudienceStep
        key={save.revision}
        audience={fields.audience}
        type={fields.type}
        errors={errors}
        onChange={(audience) => save.change({ audience })}
      />
    ),
    schedule: (
      <ScheduleStep
        key={save.revision}
        plan={plan}
        refused={scheduleErrors(refusal, plan)}
        fields={fields}
        errors={errors}
        onChange={(sendWindow) => save.change({ sendWindow })}
      />
    ),
    review: (
      <ReviewStep
        campaign={campaign}
        fields={fields}
        plan={plan}
        contact={contact}
        flush={save.flush}
        onOpen={open}
        onRefuse={(next) => {
          setRefusal(next);
          open('schedule');
        }}
      />
    ),
  };
  return (
    <Page
      title={fields.name.trim() === '' ? campaign.name : fields.name}
      back={
        <Link to="/projects/$projectId/campaigns" params={{ projectId }} className="text-accent underline">
          {words.title}
        </Link>
      }
      about={
        <span className="inline-flex flex-wrap items-center gap-2 pt-1">
          <CampaignStatusBadge status={campaign.status} />
          <SaveStatus save={save} onCompare={() => setComparing(true)} />
        </span>
      }
    >
      {campaign.status === 'SCHEDULED' && <Note>{words.scheduledNote}</Note>}
      <RefusedNote save={save} />
      <Tabs
        label={words.steps.label}
        selected={step}
        onSelect={(id_) => {
          const next = oneOf(STEPS, id_);
          if (next) open(next);
        }}
        tabs={STEPS.map((name, index) => ({
          id: name,
          label: `${index + 1}. ${words.steps[name]}`,
          content: (
            <>
              {contents[name]}
              <NextStep after={name} onOpen={open} />
            </>
          ),
        }))}
      />
      <ConflictDialog
        isOpen={isComparing && theirs !== null}
        differences={useDifferences(fields, theirs?.fields ?? fields)}
        onClose={() => setComparing(false)}
        keepMineAbout={words.theirsCopied}
        onKeepMine={keepMine}
        onTakeTheirs={takeTheirs}
      />
      <LeaveQuestion blocker={blocker} />
    </Page>
  );
}

function NextStep({ after, onOpen }: { after: Step; onOpen: (step: Step) => void }) {
  const { steps } = useCampaignWords();
  const next = STEPS[STEPS.indexOf(after) + 1];
  if (!next) return null;
  return (
    <div className="flex justify-end">
      <Button
        look="primary"
        onClick={() => {
          onOpen(next);
          scrollTo({ top: 0 });
        }}
      >
        {steps.next(steps[next])}
        <NextIcon />
      </Button>
    </div>
  );
}

/** Returns the body of a PATCH without the holes of drafts: the API refuses an empty text of a complete campaign. */
function toCompletePatch(change: Partial<CampaignFields>) {
  const { audienceType, ...patch } = { audienceType: undefined, ...toPatch(change) };
  return { ...patch, ...(audienceType && { audienceType }) };
}
