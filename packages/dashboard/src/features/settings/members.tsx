/** Who works in the project, with which role. */
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { errorOf, fieldErrors } from '../../api/query.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { SelectField, TextField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { reloadProjects, useAccount } from '../accounts/session.js';
import { useSettingsWords } from './words.js';

type Member = Schemas['Member'];

const ASSIGNABLE = ['ADMIN', 'MEMBER'] as const;
const RIGHTS = ['content', 'view', 'manage', 'remove'] as const;

/** The roles that have a right. */
const ROLES_WITH: Record<(typeof RIGHTS)[number], ReadonlyArray<Member['role']>> = {
  content: ['OWNER', 'ADMIN', 'MEMBER'],
  view: ['OWNER', 'ADMIN', 'MEMBER'],
  manage: ['OWNER', 'ADMIN'],
  remove: ['OWNER'],
};

export function MembersPage() {
  const words = useSettingsWords();
  const { $api, projectId, project, mayManage } = useProject();
  const members = $api.useQuery('get', '/projects/{id}/members', { params: { path: { id: projectId } } });
  return (
    <>
      <Card title={words.tabs.members}>
        <p>{words.yourRole(words.roles[project.role])}</p>
        {members.error && <ErrorState error={members.error} onRetry={() => void members.refetch()} />}
        {members.isPending && <Skeleton />}
        <ul className="grid">
          {members.data?.map((member) => (
            <MemberRow key={member.userId} member={member} />
          ))}
        </ul>
        {project.role !== 'OWNER' && <p className="text-sm text-muted">{words.leaveRule}</p>}
      </Card>
      {mayManage && <AddMember />}
      <Roles />
    </>
  );
}

/** Reads the members again, and the own role. */
function useReload(): () => Promise<void> {
  const { cache } = useProject();
  return async () => {
    await Promise.all([cache.invalidateQueries({ queryKey: ['get', '/projects/{id}/members'] }), reloadProjects()]);
  };
}

function MemberRow({ member }: { member: Member }) {
  const words = useSettingsWords();
  const { common } = useWords();
  const format = useFormat();
  const { $api, projectId, mayManage } = useProject();
  const { email } = useAccount();
  const reload = useReload();
  const [isAsking, setAsking] = useState(false);
  const [isLowering, setLowering] = useState(false);
  const params = { path: { id: projectId, userId: member.userId } };
  const change = $api.useMutation('patch', '/projects/{id}/members/{userId}');
  const remove = $api.useMutation('delete', '/projects/{id}/members/{userId}');
  const isSelf = member.email === email;
  const changeRole = (role: (typeof ASSIGNABLE)[number]): void =>
    change.mutate(
      { params, body: { role } },
      {
        onSuccess: () => {
          setLowering(false);
          void reload().then(() => notify(common.saved));
        },
      },
    );
  const confirmRemoval = (): void =>
    remove.mutate(
      { params },
      {
        onSuccess: () => {
          setAsking(false);
          void reload();
        },
      },
    );
  return (
    <li className="grid gap-2 border-b border-line py-3 last:border-b-0">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-48">
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-medium break-all">{member.email}</span>
            {isSelf && <Badge tone="accent">{words.you}</Badge>}
          </div>
          <span className="text-sm text-muted">{words.memberSince(format.date(member.createdAt))}</span>
        </div>
        {mayManage && member.role !== 'OWNER' ? (
          <SelectField
            label={words.roleOf(member.email)}
            name="role"
            isLabelHidden
            value={member.role}
            options={ASSIGNABLE.map((role) => ({ value: role, label: words.roles[role] }))}
            onChange={(role) => (isSelf && role === 'MEMBER' ? setLowering(true) : changeRole(role))}
          />
        ) : (
          <Badge>{words.roles[member.role]}</Badge>
        )}
        {mayManage && member.role !== 'OWNER' && !isSelf && (
          <Button look="danger" aria-label={words.removeOf(member.email)} onClick={() => setAsking(true)}>
            {common.remove}
          </Button>
        )}
      </div>
      <FormProblem error={isLowering ? null : change.error} />
      <Question
        title={words.removeTitle(member.email)}
        about={words.removeAbout}
        action={words.removeAction}
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={confirmRemoval}
      />
      <Question
        title={words.lowerTitle}
        about={words.lowerAbout}
        action={words.lowerAction}
        isOpen={isLowering}
        isBusy={change.isPending}
        error={change.error}
        onClose={() => setLowering(false)}
        onConfirm={() => changeRole('MEMBER')}
      />
    </li>
  );
}

function AddMember() {
  const words = useSettingsWords();
  const { $api, projectId } = useProject();
  const reload = useReload();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof ASSIGNABLE)[number]>('MEMBER');
  const add = $api.useMutation('post', '/projects/{id}/members');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const finish = async (): Promise<void> => {
      setEmail('');
      await reload();
      notify(words.memberAdded(email));
    };
    add.mutate({ params: { path: { id: projectId } }, body: { email, role } }, { onSuccess: () => void finish() });
  };
  const problem = errorOf(add.error);
  // An address without an account, and a member: both are about the address.
  const isAboutEmail = problem?.code === 'USER_NOT_FOUND' || problem?.code === 'CONFLICT';
  const emailError = problem?.code === 'USER_NOT_FOUND' ? words.noSuchUser : isAboutEmail ? words.isMember : undefined;
  return (
    <Card title={words.addMember}>
      <form onSubmit={submit} className="grid gap-3">
        <div className="grid gap-3 sm:grid-cols-[1fr_auto]">
          <TextField
            label={words.memberEmail}
            name="email"
            type="email"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
            hint={words.memberEmailHint}
            error={fieldErrors(add.error).email ?? emailError}
          />
          <SelectField
            label={words.role}
            name="role"
            value={role}
            options={ASSIGNABLE.map((one) => ({ value: one, label: words.roles[one] }))}
            onChange={setRole}
          />
        </div>
        <FormProblem error={isAboutEmail ? null : add.error} fields={['email']} />
        <Button type="submit" look="primary" isBusy={add.isPending} className="justify-self-start">
          {words.addMember}
        </Button>
      </form>
    </Card>
  );
}

function Roles() {
  const words = useSettingsWords();
  const { common } = useWords();
  return (
    <Card title={words.rolesTitle}>
      <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={words.rolesTitle}>
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="border-b border-line text-muted">
              <th scope="col" className="py-2 pe-3 text-start font-medium">
                {words.right}
              </th>
              {(['OWNER', 'ADMIN', 'MEMBER'] as const).map((role) => (
                <th key={role} scope="col" className="px-3 py-2 text-start font-medium">
                  {words.roles[role]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {RIGHTS.map((right) => (
              <tr key={right} className="border-b border-line">
                <th scope="row" className="py-2 pe-3 text-start font-normal">
                  {words.rights[right]}
                </th>
                {(['OWNER', 'ADMIN', 'MEMBER'] as const).map((role) => (
                  <td key={role} className="px-3 py-2">
                    {ROLES_WITH[right].includes(role) ? common.yes : common.no}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
