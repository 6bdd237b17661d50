import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client } from '../support/client'
import { runCommand } from '../support/command'
import { archiveOf, packed, PASSPHRASE } from '../support/organization-archive'
import { ServerProcess } from '../support/process'
import { PASSWORD, ROOT_KEY, World } from '../support/world'

test('organization import checks an archive, and imports it without and beside a server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  await using source = await World.create()
  await source.contactOf()
  await using target = await World.create({ names: ['Crux'], firstId: 1_000_000 })
  const env = {
    DATA_DIR: join(folder, 'data'),
    SECRET_KEY: ROOT_KEY.toString('hex'),
    WEBHOOK_VERIFY_TOKEN: 'a verify token of the test',
    APP_SECRET: 'an app secret of the test',
    PLATFORM_BASE_URL: source.simulator.url,
    PASSWORD_MEMORY_MIB: '8',
    BACKUP_INTERVAL_HOURS: '0',
    RATE_STANDARD: '0',
  }
  mkdirSync(env.DATA_DIR)
  writeFileSync(join(env.DATA_DIR, 'switchboard.sqlite'), target.program.http.db.sqlite.serialize())
  const [acme, bolt] = [join(folder, 'acme.zip'), join(folder, 'bolt.zip')]
  writeFileSync(acme, await packed(await archiveOf(source, source.tenant)))
  writeFileSync(bolt, await packed(await archiveOf(source, source.other)))
  const withEnv = (args: string[], more: Record<string, string> = {}, input?: string) =>
    runCommand(['organization', 'import', ...args, '--json'], {
      cwd: folder,
      env: { ...env, ...more },
      ...(input === undefined ? {} : { input }),
    })
  const run = (args: string[], input = `${PASSPHRASE}\n`) =>
    withEnv([...args, '--passphrase-stdin'], {}, input)

  const typed = { args: [acme, '--passphrase-stdin'], input: 'another passphrase' }
  const wrong = await withEnv(typed.args, { ARCHIVE_PASSPHRASE: PASSPHRASE }, typed.input)
  expect([wrong.code, wrong.errors]).toEqual([
    1,
    'The passphrase is not the one of this archive.\n',
  ])
  const without = await withEnv([acme])
  expect([without.code, without.errors]).toEqual([
    1,
    'The archive contains encrypted secrets. Set ARCHIVE_PASSPHRASE, or pipe the passphrase to --passphrase-stdin.\n',
  ])
  const ofVariable = await withEnv([acme], { ARCHIVE_PASSPHRASE: PASSPHRASE })
  expect([ofVariable.errors, JSON.parse(ofVariable.out)]).toMatchObject(['', { state: 'checked' }])
  const alone = await run([acme, '--yes'])
  expect(JSON.parse(alone.out)).toMatchObject({ state: 'completed' })
  await using server = await ServerProcess.start({ cwd: folder, env })
  const beside = await run([bolt, '--yes'])
  expect(JSON.parse(beside.out)).toMatchObject({ state: 'completed' })
  for (const tenant of source.tenants) {
    const { data } = await new Client(server.url).post('/api/auth/login', {
      ...{ email: source.emailOf('admin', tenant), password: PASSWORD },
    })
    expect(data['access_token']).toBeString()
  }
  rmSync(folder, { recursive: true, force: true })
}, 60_000)
