/** The secret that signs a project's webhook requests. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { webhookSecret } from '../../src/domain/executions/webhook/sign.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { signUp } from '../helpers/session.js';

const api = useApi();
const Reply = z.strictObject({ secret: z.string() });
const get = (project: TestProject) => api.as(project, 'GET', '/workflows/webhook-secret');
const secretOf = async (project: TestProject): Promise<string> => Reply.parse((await get(project)).json()).secret;
const stored = async (project: TestProject) =>
  (await api.ctx.prisma.project.findUniqueOrThrow({ where: { id: project.id } })).webhookSecret;

describe('GET /workflows/webhook-secret', () => {
  test('returns a Standard Webhooks secret of 32 bytes, which caches must not store', async () => {
    const project = await api.project();
    const response = await get(project);
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const { secret } = Reply.parse(response.json());
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  test('always returns the same one, and each project has its own', async () => {
    const [one, other] = [await api.project(), await api.project()];
    const secret = await secretOf(one);
    expect(await secretOf(one)).toBe(secret);
    expect(await webhookSecret(api.ctx, one.id)).toBe(secret);
    expect(await secretOf(other)).not.toBe(secret);
  });

  test('20 concurrent first uses all get the same secret', async () => {
    const project = await api.project();
    const secrets = await Promise.all(Array.from({ length: 20 }, () => secretOf(project)));
    expect(new Set(secrets).size).toBe(1);
    expect(await secretOf(project)).toBe(secrets[0]);
  });

  test('is created on first use, and stored encrypted', async () => {
    const project = await api.project();
    expect(await stored(project)).toBeNull();
    const secret = await secretOf(project);
    const kept = await stored(project);
    expect(kept).toMatch(/^v1\./);
    expect(kept).not.toContain(secret.slice('whsec_'.length));
  });

  test('accepts only a session of a member', async () => {
    const project = await api.project();
    const [member, stranger] = [await signUp(api.app), await signUp(api.app)];
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: member.id, role: 'MEMBER' } });
    const headers = { 'x-project-id': project.id };
    const response = await member.call('GET', '/workflows/webhook-secret', undefined, headers);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual({ secret: await secretOf(project) });
    expect((await member.call('GET', '/workflows/webhook-secret')).statusCode).toBe(400);
    expect((await stranger.call('GET', '/workflows/webhook-secret', undefined, headers)).statusCode).toBe(403);
    expect((await api.app.inject('/workflows/webhook-secret')).statusCode).toBe(401);
    expect(
      (
        await api.app.inject({
          url: '/workflows/webhook-secret',
          headers: { authorization: `Bearer ${project.public}` },
        })
      ).statusCode,
    ).toBe(401);
  });

  test('responds for a disabled project too, because it only reads', async () => {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect((await get(project)).statusCode).toBe(200);
  });

  test('is not the id of a workflow', async () => {
    const project = await api.project();
    expect((await api.as(project, 'GET', `/workflows/${newId()}`)).json()).toMatchObject({
      error: { code: 'WORKFLOW_NOT_FOUND' },
    });
    expect((await get(project)).json()).toHaveProperty('secret');
  });
});

test('a deleted project has no secret', async () => {
  await expect(webhookSecret(api.ctx, newId())).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
});
