/** The panel that explains a page and shows the calls of the API that do the same. */
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../api/project.js';
import { CodeBlock } from '../ui/code.js';
import { CopyButton } from '../ui/copy.js';
import { SidePanel } from '../ui/dialog.js';
import { SelectField } from '../ui/field.js';
import { ExternalIcon } from '../ui/icons.js';
import { useWords } from '../words/words.js';
import { CALLS, curlOf, typescriptOf, type Call, type SampleContext } from './help-topics.js';
import { useHelpWords, type HelpTopic } from './help-words.js';

/** The sections of the reference that have another name than the topic. */
const TAGS: Partial<Record<HelpTopic, string>> = {
  home: 'analytics',
  fields: 'contacts',
  deliverability: 'projects',
  settings: 'projects',
  account: 'authentication',
};

const PLACE = /^\/projects\/[^/]+\/?([a-z]*)\/?([\da-f-]{36})?/;

const isTopic = (name: string): name is HelpTopic => Object.hasOwn(CALLS, name);

export function Help({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useHelpWords();
  const { nav } = useWords();
  const { project } = useProject();
  const { pathname } = useLocation();
  const [, name = '', id] = PLACE.exec(pathname) ?? [];
  const topic = isTopic(name) ? name : 'home';
  const { about, calls } = words.topics[topic];
  const context = { origin: location.origin, publicKey: project.public, id };
  return (
    <SidePanel title={`${words.title}: ${nav[topic]}`} isOpen={isOpen} onClose={onClose}>
      <p>{about}</p>
      {calls.length > 0 && <Calls topic={topic} names={calls} context={context} />}
      <a
        href={`/docs#tag/${TAGS[topic] ?? topic}`}
        target="_blank"
        rel="noopener"
        className="inline-flex items-center gap-2 justify-self-start text-accent underline"
      >
        {words.reference}
        <ExternalIcon />
      </a>
    </SidePanel>
  );
}

const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
] as const;

function Calls({ topic, names, context }: { topic: HelpTopic; names: string[]; context: SampleContext }) {
  const words = useHelpWords();
  const [language, setLanguage] = useState<'curl' | 'typescript'>('curl');
  const write = language === 'curl' ? curlOf : typescriptOf;
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <SelectField
        label={words.calls}
        name="language"
        value={language}
        onChange={setLanguage}
        options={[...LANGUAGES]}
      />
      {CALLS[topic].map((call: Call, index) => {
        const name = names[index] ?? call.path;
        const sample = write(call, context);
        return (
          <div key={name} className="grid grid-cols-[minmax(0,1fr)] gap-2">
            <div className="flex items-center justify-between gap-3">
              <h3 className="font-semibold">{name}</h3>
              <CopyButton label={name} value={sample} />
            </div>
            <CodeBlock label={name}>{sample}</CodeBlock>
          </div>
        );
      })}
      <p className="text-sm text-muted">{words.secretHint}</p>
    </section>
  );
}
