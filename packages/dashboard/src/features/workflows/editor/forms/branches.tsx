/** A CONDITION with one branch per value of a field. The first branch that matches is taken. */
import { Button } from '../../../../ui/button.js';
import { TextField } from '../../../../ui/field.js';
import { CloseIcon, PlusIcon } from '../../../../ui/icons.js';
import { isMulti, type MultiBranch } from '../kinds.js';
import { useEditorWords } from '../words.js';
import type { StepFormProps } from './form.js';
import { FieldChoice, SingleComparison } from './value-field.js';

/** The API allows as many (specification, Workflows). */
const MAX_BRANCHES = 20;

/** An id that no branch has; transitions refer to it. */
function newId(branches: readonly MultiBranch[]): string {
  let number = branches.length + 1;
  while (branches.some(({ id }) => id === `branch${number}`)) number++;
  return `branch${number}`;
}

export function BranchesForm({ step: { config }, onChange, errors }: StepFormProps) {
  const words = useEditorWords();
  if (!isMulti(config)) return null;
  const { field, branches } = config;
  const set = (next: MultiBranch[], topic: string | null): void =>
    onChange({ config: { ...config, branches: next } }, topic);
  return (
    <>
      <FieldChoice
        value={field}
        isInvalid={errors['config.field'] !== undefined}
        onChange={(next) => onChange({ config: { ...config, field: next } }, null)}
      />
      {branches.map((branch, index) => {
        const at = `config.branches.${index}`;
        const problem = errors[`${at}.operator`] ?? errors[`${at}.value`] ?? errors[`${at}.unit`];
        return (
          <fieldset key={branch.id} className="grid gap-2 rounded-lg border border-line p-3">
            <legend className="px-1 font-medium">{words.branchNumber(index + 1)}</legend>
            <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2">
              <TextField
                label={words.branchName}
                name={`branch-${index}`}
                autoComplete="off"
                value={branch.name}
                error={errors[`${at}.name`]}
                onChange={({ target }) =>
                  set(branches.with(index, { ...branch, name: target.value }), `name of ${branch.id}`)
                }
              />
              <Button
                look="quiet"
                aria-label={words.removeBranch(branch.name)}
                disabled={branches.length === 1}
                onClick={() =>
                  set(
                    branches.filter(({ id }) => id !== branch.id),
                    null,
                  )
                }
              >
                <CloseIcon />
              </Button>
            </div>
            <SingleComparison
              field={field}
              filter={{ ...branch }}
              onChange={({ operator, value, unit }) =>
                set(
                  branches.with(index, {
                    id: branch.id,
                    name: branch.name,
                    operator: operator ?? 'equals',
                    ...(value !== undefined && { value }),
                    ...(unit && { unit }),
                  }),
                  `comparison of ${branch.id}`,
                )
              }
            />
            {problem !== undefined && <p className="text-sm text-danger">{problem}</p>}
          </fieldset>
        );
      })}
      <p className="text-sm text-muted">{words.defaultBranch}</p>
      <Button
        className="justify-self-start"
        disabled={branches.length >= MAX_BRANCHES}
        onClick={() => set([...branches, { id: newId(branches), name: '', operator: 'equals' }], null)}
      >
        <PlusIcon />
        {words.addBranch}
      </Button>
    </>
  );
}
