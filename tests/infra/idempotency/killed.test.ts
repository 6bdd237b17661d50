import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, type Answer } from '../../support/client'
import { ServerProcess } from '../../support/process'

const replayed = (answer: Answer): string | null => answer.headers.get('idempotent-replay')

/**
 * Sends creating requests to a real server and kills it while they run, so that it is unknown which
 * took effect.
 */
async function killAmidst(
  env: Record<string, string>,
  rounds: { key: string; body: object }[],
  token: string,
): Promise<void> {
  await using server = await ServerProcess.start({ cwd: env['DATA_DIR'] ?? '', env })
  const client = new Client(server.url, { authorization: `Bearer ${token}` })
  const sent = rounds.map(({ key, body }) =>
    client.with({ 'idempotency-key': key }).post('/api/accounts', body),
  )
  const settled = Promise.allSettled(sent)
  await Promise.any(sent.slice(rounds.length / 4))
  await server.kill()
  await settled
}

test('requests interrupted by a killed server take effect exactly once when repeated with their keys', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'switchboard-once-'))
  const env = {
    DATA_DIR: dir,
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'correct horse battery',
    PASSWORD_MEMORY_MIB: '8',
    RATE_STANDARD: '0',
  }
  const signIn = async (): Promise<string> => {
    await using server = await ServerProcess.start({ cwd: dir, env })
    const credentials = { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD }
    const { data } = await new Client(server.url).post('/api/auth/login', credentials)
    await server.stop()
    return data['access_token'] as string
  }
  const token = await signIn()
  const requests = Array.from({ length: 120 }, (_, index) => ({
    key: `killed-${index}`,
    body: {
      name: `Number ${index}`,
      phone_id: `55${index}`,
      business_id: '888',
      access_token: 'not-looked-at',
      verify: false,
    },
  }))
  for (let round = 0; round < 3; round += 1)
    await killAmidst(env, requests.slice(round * 40, round * 40 + 40), token)
  await using server = await ServerProcess.start({ cwd: dir, env })
  const client = new Client(server.url, { authorization: `Bearer ${token}` })
  const answers = await Promise.all(
    requests.map(({ key, body }) =>
      client.with({ 'idempotency-key': key }).post('/api/accounts', body),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  const replays = answers.filter((answer) => replayed(answer) === 'true').length
  expect(replays).toBeGreaterThan(2)
  const { data } = await client.get('/api/accounts?limit=100')
  expect(data['total']).toBe(requests.length)
  rmSync(dir, { recursive: true, force: true })
})
