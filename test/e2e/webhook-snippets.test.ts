/** The examples of docs/webhooks.md: each one that can run on this machine accepts and rejects the same requests. */
import { spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../helpers/eventually.js';
import { freePort } from '../../packages/embedded/src/ports.js';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const folder = mkdtempSync(path.join(tmpdir(), 'sendloom-snippets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const markdown = readFileSync('docs/webhooks.md', 'utf8');

/** Returns the code of the first block after a heading. */
function snippet(heading: string): string {
  const section = markdown.split(`\n### ${heading}\n`)[1];
  const code = /\n```\w+\n(.*?)\n```\n/s.exec(section ?? '')?.[1];
  if (code === undefined) throw new Error(`docs/webhooks.md has no code under "${heading}"`);
  return code;
}

function file(name: string, content: string): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}

interface Case {
  name: string;
  accepted: boolean;
  body: string;
  headers: Record<string, string>;
}

const BODY = JSON.stringify({ type: 'email.bounced', timestamp: '2026-11-23T10:00:00.000Z', data: { name: 'Zoë 🙂' } });

function sign(body: string, { secret = SECRET, secondsAgo = 0, version = 'v1' } = {}): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `${version},${signature}` };
}

function cases(): Case[] {
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  const both = `${sign(BODY, { secret: other })['webhook-signature']} ${sign(BODY)['webhook-signature']}`;
  const { 'webhook-signature': _, ...unsigned } = sign(BODY);
  return [
    { name: 'signed', accepted: true, body: BODY, headers: sign(BODY) },
    { name: 'during a rotation', accepted: true, body: BODY, headers: { ...sign(BODY), 'webhook-signature': both } },
    { name: 'a little late', accepted: true, body: BODY, headers: sign(BODY, { secondsAgo: 200 }) },
    { name: 'old', accepted: false, body: BODY, headers: sign(BODY, { secondsAgo: 400 }) },
    { name: 'from the future', accepted: false, body: BODY, headers: sign(BODY, { secondsAgo: -400 }) },
    { name: 'of another secret', accepted: false, body: BODY, headers: sign(BODY, { secret: other }) },
    { name: 'of another version', accepted: false, body: BODY, headers: sign(BODY, { version: 'v2' }) },
    { name: 'with a changed body', accepted: false, body: `${BODY} `, headers: sign(BODY) },
    { name: 'with another id', accepted: false, body: BODY, headers: { ...sign(BODY), 'webhook-id': 'evt_2' } },
    { name: 'without a signature', accepted: false, body: BODY, headers: unsigned },
    {
      name: 'with an empty timestamp',
      accepted: false,
      body: BODY,
      headers: { ...sign(BODY), 'webhook-timestamp': '' },
    },
  ];
}

const results = (verdict: (one: Case) => boolean) => cases().map((one) => `${one.name}: ${verdict(one)}`);
const expected = () => results(({ accepted }) => accepted);

/** Runs a program that reads `[secret, cases]` as JSON from its standard input and prints a list of booleans. */
function run(command: string, args: string[], env: Record<string, string> = {}): string[] {
  const all = cases();
  const input = JSON.stringify([SECRET, all]);
  const options = { input, cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { stdout, stderr, status } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  const verdicts = z.array(z.boolean()).parse(JSON.parse(stdout));
  return all.map(({ name }, index) => `${name}: ${verdicts[index]}`);
}

const isInstalled = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

const client = pathToFileURL(path.resolve('packages/client/src/index.ts')).href;
const withClient = (heading: string): string => snippet(heading).replace("'@sendloom/client'", `'${client}'`);

describe('the example verifies', () => {
  test('in Node', async () => {
    const port = await freePort();
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', file('receiver.mts', withClient('TypeScript, in Node'))],
      { env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    try {
      const url = `http://127.0.0.1:${port}/`;
      await eventually(() => fetch(url));
      const verdicts = [];
      for (const { name, body, headers } of cases()) {
        const { status } = await fetch(url, { method: 'POST', body, headers });
        verdicts.push(`${name}: ${status === 204 ? true : status === 401 ? false : status}`);
      }
      expect(verdicts).toEqual(expected());
      expect(output).toContain("evt_1 email.bounced { name: 'Zoë 🙂' }");
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  test('in an edge runtime', async () => {
    interface Worker {
      default: { fetch: (request: Request, env: unknown) => Promise<Response> };
    }
    const module: Worker = await import(
      pathToFileURL(file('worker.mts', withClient('TypeScript, in an edge runtime'))).href
    );
    const events: unknown[] = [];
    const env = { WEBHOOK_SECRET: SECRET, EVENTS: { send: (event: unknown) => Promise.resolve(events.push(event)) } };
    const verdicts = [];
    for (const { name, body, headers } of cases()) {
      const request = new Request('https://worker.test/', { method: 'POST', body, headers });
      const { status } = await module.default.fetch(request, env);
      verdicts.push(`${name}: ${status === 204 ? true : status === 401 ? false : status}`);
    }
    expect(verdicts).toEqual(expected());
    expect(events).toContainEqual(expect.objectContaining({ id: 'evt_1', type: 'email.bounced' }));
  });

  test.skipIf(!isInstalled('python3', '--version'))('in Python', () => {
    const harness = `
import sys

def accepts(case, secret):
    try:
        event = verify_webhook(case["body"].encode(), case["headers"], secret)
        assert event["id"] == "evt_1" and event["type"] == "email.bounced"
        return True
    except (KeyError, ValueError):
        return False

secret, cases = json.load(sys.stdin)
print(json.dumps([accepts(case, secret) for case in cases]))
`;
    expect(run('python3', [file('verify.py', snippet('Python') + harness)])).toEqual(expected());
  });

  test.skipIf(!isInstalled('go', 'version'))('in Go', () => {
    const harness = `
package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var input []json.RawMessage
	var secret string
	var cases []struct {
		Body    string
		Headers map[string]string
	}
	check(json.NewDecoder(os.Stdin).Decode(&input))
	check(json.Unmarshal(input[0], &secret))
	check(json.Unmarshal(input[1], &cases))
	verdicts := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		verdicts = append(verdicts, Verify([]byte(one.Body), header, secret) == nil)
	}
	check(json.NewEncoder(os.Stdout).Encode(verdicts))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`;
    const files = [
      file('webhook.go', snippet('Go').replace('package webhook', 'package main')),
      file('main.go', harness),
    ];
    expect(run('go', ['run', ...files], { GOTOOLCHAIN: 'local', GO111MODULE: 'off' })).toEqual(expected());
  });

  test.skipIf(!isInstalled('javac', '-version'))('in Java', () => {
    // Java has no JSON of its own: the cases are written as calls.
    const text = (value: string | undefined) =>
      value === undefined
        ? 'null'
        : `new String(java.util.Base64.getDecoder().decode("${Buffer.from(value).toString('base64')}"), StandardCharsets.UTF_8)`;
    const calls = cases().map(
      ({ body, headers }) =>
        `Webhook.isAuthentic(${text(body)}.getBytes(StandardCharsets.UTF_8), ${text(headers['webhook-id'])}, ${text(headers['webhook-timestamp'])}, ${text(headers['webhook-signature'])}, args[0])`,
    );
    const harness = `
import java.nio.charset.StandardCharsets;

class Main {
    public static void main(String[] args) throws Exception {
        System.out.print(java.util.Arrays.toString(new boolean[] {${calls.join(', ')}}));
    }
}
`;
    const files = [file('Webhook.java', snippet('Java')), file('Main.java', harness)];
    const { status, stderr } = spawnSync('javac', ['-d', folder, ...files], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(run('java', ['-cp', folder, 'Main', SECRET])).toEqual(expected());
  });

  test.skipIf(!isInstalled('ruby', '-ropenssl', '-e', ''))('in Ruby', () => {
    const harness = `
require "json"
secret, cases = JSON.parse($stdin.read)
puts JSON.generate(cases.map { |one| authentic_webhook?(one["body"], one["headers"], secret) })
`;
    expect(run('ruby', [file('verify.rb', snippet('Ruby') + harness)])).toEqual(expected());
  });

  test.skipIf(!isInstalled('php', '--version'))('in PHP', () => {
    const harness = `
[$secret, $cases] = json_decode(stream_get_contents(STDIN), true);
echo json_encode(array_map(function ($one) use ($secret) {
    $server = [];
    foreach ($one['headers'] as $name => $value) {
        $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
    }
    return isAuthenticWebhook($one['body'], $server, $secret);
}, $cases));
`;
    expect(run('php', [file('verify.php', `<?php\n${snippet('PHP')}${harness}`)])).toEqual(expected());
  });
});
