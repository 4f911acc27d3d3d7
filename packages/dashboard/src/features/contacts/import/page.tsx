/** The import of a CSV file: choose, map, test, run. The job's id is in the URL, so that a reload shows its progress. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../../api/project.js';
import { $api } from '../../../api/client.js';
import { queryClient } from '../../../api/query.js';
import { Note } from '../../../ui/badge.js';
import { Page } from '../../../ui/page.js';
import { useFormat } from '../../../words/format.js';
import { guessDelimiter, guessTarget, HEAD_BYTES, readRows, type ColumnTarget, type Delimiter } from './csv.js';
import { ImportJob } from './job.js';
import { Mapping } from './mapping.js';
import { useImportWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/contacts/import');

/** Rows that are shown as examples, without the header. */
const SAMPLE_ROWS = 20;
const DEFAULT_BYTES = 5_000_000;

/** A chosen file with what its columns become. */
export interface Draft {
  file: File;
  /** The beginning of its text. */
  head: string;
  delimiter: Delimiter;
  headers: string[];
  samples: string[][];
  targets: ColumnTarget[];
}

/** Returns the draft of a file's beginning, with guesses. */
export function draftOf(file: File, head: string, delimiter: Delimiter): Draft {
  const [headers = [], ...samples] = readRows(head, delimiter, SAMPLE_ROWS + 1);
  const targets = headers.map((header, column) =>
    guessTarget(
      header,
      samples.map((row) => row[column] ?? ''),
    ),
  );
  return { file, head, delimiter, headers, samples, targets };
}

export function ImportPage() {
  const words = useImportWords();
  const { projectId } = useProject();
  const { jobId } = route.useSearch();
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft | null>(null);
  // What the user did on this page decides what has the focus.
  const [startedId, setStartedId] = useState<string>();
  const [wantsAnother, setWantsAnother] = useState(false);
  const show = (id: string | undefined): void =>
    void navigate({ to: '/projects/$projectId/contacts/import', params: { projectId }, search: { jobId: id } });
  const chooseAnother = (): void => {
    setDraft(null);
    setWantsAnother(true);
    show(undefined);
  };
  return (
    <Page
      title={words.title}
      about={words.about}
      back={
        <Link to="/projects/$projectId/contacts" params={{ projectId }} className="text-accent underline">
          {words.back}
        </Link>
      }
    >
      {!draft && jobId === undefined && <ChooseFile onChoose={setDraft} takesFocus={wantsAnother} />}
      {draft && (
        <Mapping
          draft={draft}
          onChange={setDraft}
          onOtherFile={chooseAnother}
          onStart={(id) => {
            setStartedId(id);
            show(id);
          }}
        />
      )}
      {jobId !== undefined && (
        <ImportJob key={jobId} jobId={jobId} takesFocus={jobId === startedId} onAnother={chooseAnother} />
      )}
    </Page>
  );
}

function ChooseFile({ onChoose, takesFocus }: { onChoose: (draft: Draft) => void; takesFocus: boolean }) {
  const words = useImportWords();
  const format = useFormat();
  const [problem, setProblem] = useState<string | null>(null);
  const config = $api.useQuery('get', '/config', {}, {}, queryClient);
  const maxBytes = config.data?.limits.importBytes ?? DEFAULT_BYTES;
  const megabytes = format.bytes(maxBytes);
  const choose = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    if (file.size > maxBytes) return setProblem(words.tooLarge(megabytes));
    const head = (await file.slice(0, HEAD_BYTES).text()).replace(/^\uFEFF/, '');
    const draft = draftOf(file, head, guessDelimiter(head));
    if (draft.headers.length === 0) return setProblem(words.empty);
    onChoose(draft);
  };
  return (
    <>
      {problem !== null && <Note tone="danger">{problem}</Note>}
      <label className="relative grid justify-items-center gap-3 rounded-xl border-2 border-dashed border-control p-10 text-center focus-within:outline-3 focus-within:outline-offset-2 focus-within:outline-focus">
        <span className="text-lg">{words.drop}</span>
        <span className="text-muted">{words.limit(megabytes)}</span>
        {/* It covers the area, so that the browser itself takes a dropped file. */}
        <input
          type="file"
          accept=".csv,text/csv,text/plain"
          aria-label={words.choose}
          autoFocus={takesFocus}
          onChange={({ target }) => void choose(target.files?.[0])}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
      </label>
    </>
  );
}
