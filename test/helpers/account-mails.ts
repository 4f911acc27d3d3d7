/** Platform mails to users, read from the queue. */
import type { ApiContext } from '../../src/context.js';
import { writeRequestedEmails } from '../../src/domain/accounts/emails.js';
import { decryptVariables } from '../../src/domain/platform/emails.js';

export interface AccountMail {
  subject: string;
  link: string;
  token: string;
}

/** Writes the requested mails, as a worker does, and returns those to an address, oldest first. */
export async function mailsTo(ctx: ApiContext, address: string): Promise<AccountMail[]> {
  while ((await writeRequestedEmails(ctx)) > 0);
  const emails = await ctx.prisma.email.findMany({
    where: { toEmail: address, source: 'PLATFORM' },
    include: { message: { select: { subject: true } } },
    orderBy: { id: 'asc' },
  });
  return emails.map(({ variables, message }) => {
    const link = String(decryptVariables(ctx.config, variables).link);
    return { subject: message.subject, link, token: new URL(link).searchParams.get('token') ?? '' };
  });
}

/** Returns the token in the last mail to an address. */
export async function tokenFor(ctx: ApiContext, address: string): Promise<string> {
  const last = (await mailsTo(ctx, address)).at(-1);
  if (!last) throw new Error(`No mail was written to ${address}`);
  return last.token;
}
