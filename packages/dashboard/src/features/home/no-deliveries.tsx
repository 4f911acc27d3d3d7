/** Why no delivery is counted although emails were sent: a plain SMTP server does not report deliveries. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { Dialog } from '../../ui/dialog.js';
import { ExternalIcon } from '../../ui/icons.js';
import { useHomeWords } from './words.js';

export function NoDeliveries() {
  const { noDeliveries: words } = useHomeWords();
  const { $api, projectId } = useProject();
  const [isOpen, setOpen] = useState(false);
  const { data: config } = $api.useQuery('get', '/config');
  const origin = config?.urls.api ?? location.origin;
  return (
    <>
      <button
        type="button"
        className="block cursor-pointer text-start text-accent underline"
        onClick={() => setOpen(true)}
      >
        {words.question}
      </button>
      <Dialog title={words.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>{words.why}</p>
        <p>{words.meanwhile}</p>
        <h3 className="font-semibold">{words.setUp}</h3>
        <ol className="grid list-decimal gap-2 ps-5">
          <li>{words.steps.send}</li>
          <li>
            {words.steps.subscribe}
            <code className="block break-all">{`${origin}/webhooks/sns`}</code>
          </li>
          <li>{words.steps.allow}</li>
        </ol>
        <a
          href="/docs#tag/webhooks"
          target="_blank"
          rel="noopener"
          className="inline-flex items-center gap-2 justify-self-start text-accent underline"
        >
          {words.docs}
          <ExternalIcon />
        </a>
        <Link
          to="/projects/$projectId/deliverability"
          params={{ projectId }}
          className="justify-self-start text-accent underline"
        >
          {words.deliverability}
        </Link>
      </Dialog>
    </>
  );
}
