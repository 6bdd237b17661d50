import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { INSTALLATION } from '../../src/infra/ctx'
import { joinCells } from '../support/moves'
import { archiveOf, packed, PASSPHRASE } from '../support/organization-archive'
import { changeRows } from '../support/sql'
import { PASSWORD, World } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('an operator', () => {
  let live: LiveWorld
  let journey: Journey

  beforeAll(async () => {
    live = await LiveWorld.create()
    journey = await live.open({ path: '/server/schedule', expected: [/status of 40[03]/] })
    await journey.signIn('super')
  }, 60_000)

  afterAll(() => live.stop())

  test('sees a red number, reads which job fails and why, retries it, and sees the number go', async () => {
    const { world } = live
    const { page } = journey
    const server = page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Server/ })
    await server.waitFor()
    expect(await server.locator('.badge').count()).toBe(0)

    // a file of a customer could not be fetched, while the console is open
    world.stays('jobs')
    const { db, clock, ids } = world.program.http
    changeRows(
      db.sqlite,
      `insert into jobs (id, kind, queue, state, organization_id, args, attempt, max_attempts, scheduled_at_ms, created_at_ms, attempted_at_ms, finished_at_ms, errors)
       values (?, 'price.check-list', 'default', 'discarded', ?, '{}', 20, 20, 0, 0, 1, ?, ?)`,
      [
        ids.next(),
        INSTALLATION,
        clock.nowMs(),
        JSON.stringify([{ attempt: 20, at_ms: 1, message: 'connect ECONNREFUSED 10.0.0.1:443' }]),
      ],
    )
    await server.locator('.badge').getByText('1', { exact: true }).waitFor()
    await server.click()
    const failed = page.getByRole('list', { name: 'Work that failed' }).getByRole('listitem')
    await failed.getByText(/^The other side could not be reached/).waitFor()
    await page.getByRole('region', { name: 'What was found' }).waitFor()
    await journey.requireAccessible()

    await failed.getByRole('link', { name: 'Check the age of the prices' }).click()
    await page.getByRole('table').getByText('Failed').first().waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('1 job is tried again').waitFor()
    await server.locator('.badge').waitFor({ state: 'detached' })
    await failed.first().waitFor({ state: 'detached' })
    await journey.requireAccessible()
  }, 60_000)

  test('makes a backup and deletes it by its name; an organization leaves and returns', async () => {
    const { world } = live
    const { page } = journey
    world.stays('backups')
    world.stays('jobs')
    const dialog = page.getByRole('dialog')
    await page.getByRole('link', { name: 'Backups' }).click()
    await page.getByRole('button', { name: 'Make a backup' }).click()
    await dialog.getByRole('textbox', { name: /^Name/ }).fill('Before the update')
    await dialog.getByRole('button', { name: 'Start' }).click()
    const backup = page.getByRole('listitem').filter({ hasText: 'Before the update' })
    // nobody asks again: an event tells that it is done
    await backup.getByText('Verified', { exact: true }).waitFor()
    await journey.requireAccessible()
    await backup.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const remove = dialog.getByRole('button', { name: 'Delete' })
    expect(await remove.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('Before the update')
    await remove.click()
    await backup.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Organizations' }).click()
    await page.getByRole('button', { name: 'New' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nordwind')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Nordwind' }).waitFor()
    world.clock.advance({ minutes: 6 }) // the sign-in is too long ago for what is final
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('textbox').fill('Nordwind')
    await dialog.getByRole('button', { name: /^Delete/ }).click()
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Being deleted', { exact: true }).waitFor()
    // the person is still where they were
    await page.locator('.rail-brand').getByText(world.tenant.name, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Being deleted', { exact: true }).waitFor({ state: 'detached' })
    await journey.requireAccessible()
  }, 60_000)

  test('imports an organization when a dry run has told what will be different', async () => {
    const { world } = live
    const { page } = journey
    world.stays('jobs')
    const dialog = page.getByRole('dialog')
    const known = world.emailOf('admin', world.tenant)
    const source = await World.create({ tenants: 1, names: ['Crux'], firstId: 1_000_000 })
    changeRows(source.program.http.db.sqlite, 'update users set email = ? where email = ?', [
      known,
      source.emailOf('admin', source.tenant),
    ])
    const buffer = Buffer.from(await packed(await archiveOf(source, source.tenant)))
    await source.stop()
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.getByRole('button', { name: 'Import an organization' }).click()
    const file = { name: 'crux.zip', mimeType: 'application/zip', buffer }
    await dialog.locator('input[type=file]').setInputFiles(file)
    const passphrase = dialog.locator('input[name=passphrase]')
    await passphrase.fill('another passphrase')
    await dialog.getByRole('button', { name: 'Check the archive' }).click()
    await dialog.getByText('This is not the passphrase of the archive.').waitFor()
    await passphrase.fill(PASSPHRASE)
    await dialog.getByRole('button', { name: 'Check the archive' }).click()
    await page.getByText('Checked, your turn').waitFor()
    await page.getByText(`${known} has the same password here`).waitFor()
    await journey.requireAccessible()
    await journey.picture('import-checked')
    await page.getByRole('button', { name: 'Import “Crux”' }).click()
    // nobody asks again: an event tells that it is done
    await page.getByRole('link', { name: 'Open', exact: true }).click()
    await page.getByRole('heading', { name: 'Archives' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Crux' }).waitFor()
  }, 60_000)

  test('moves an organization to another server, sees how far it is, and why it stopped', async () => {
    const { world } = live
    const { page } = journey
    const dialog = page.getByRole('dialog')
    const to = await World.create({ tenants: 1, isConnected: false, firstId: 2_000_000 })
    to.clock.advance({ ms: world.clock.nowMs() - to.clock.nowMs() })
    joinCells(world, to)
    joinCells(to, world)
    await page.reload()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await dialog.getByText('Nobody can change anything in it until the move is done.').waitFor()
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    // nobody asks again: an event tells each step; the other server does not get to its work
    const move = page.getByRole('list', { name: 'Moves' }).getByRole('listitem')
    await move.getByText('Being stored there').waitFor()
    await move.getByRole('progressbar').waitFor()
    await journey.requireAccessible()

    const { settings } = to.program.http
    const cells = settings.cells
    settings.cells = cells && { ...cells, secret: 'another-secret-0123456789-0123456789' }
    await move.getByText('Being undone').waitFor()
    await move.getByText(/^The other server refused it\. Both need the same CELLS/).waitFor()
    await move.getByText(/works here\. When that is mended, start the move again\.$/).waitFor()
    expect(await page.getByRole('button', { name: 'Move', exact: true }).count()).toBe(0)
    await journey.requireAccessible()
    await journey.picture('move-stopped')
    settings.cells = cells
    await move.getByText('Stopped').waitFor()
    await page.getByRole('button', { name: 'Move', exact: true }).waitFor()
    await to.stop()
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})
