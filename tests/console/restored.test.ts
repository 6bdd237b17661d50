import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { CampaignFixture } from '../support/campaigns'
import { ServerProcess } from '../support/process'
import { backUp, restore } from '../support/restored'
import { PASSWORD } from '../support/world'
import { CHROMIUM, launch } from './support/chromium'
import { Journey } from './support/journey'

const PEOPLE = 30

/** Presses what asks whether a campaign is resumed, from its row. Returns the window. */
async function askToResume(page: Page) {
  await page.getByRole('button', { name: 'Actions for Spring' }).click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  return page.getByRole('dialog', { name: 'Resume Spring?' })
}

test.skipIf(CHROMIUM === null)(
  'after a restore a person decides whether people who may have a message get it again',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'restored-console-'))
    await using fixture = await CampaignFixture.open()
    const { world } = fixture
    const id = await fixture.draftFor(PEOPLE, { name: 'Spring', rate_limit: 5 })
    await fixture.do(id, 'start')
    await world.settle()
    const sent = Number((await fixture.campaign(id))['sent_count'])
    expect(sent).toBeGreaterThan(0)
    const backup = backUp(world, folder)
    await fixture.run(id)
    const { options } = await restore(world, backup)
    await using server = await ServerProcess.start(options)
    await using browser = await launch()
    const place = { browser, url: server.url }
    const journey = await Journey.open(place, { path: '/campaigns', expected: [/status of 409/] })
    await journey.enter(world.emailOf('manager', world.tenant), PASSWORD)
    const { page } = journey
    await page.getByText('after a restored backup').waitFor()

    const dialog = await askToResume(page)
    const text = await dialog.getByText(/A backup was restored/).innerText()
    const people = Number(/(\d+) people may have received this message/.exec(text)?.[1])
    expect(people).toBe(PEOPLE - sent)
    await journey.requireAccessible()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download the list (CSV)' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('campaign.csv')
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
    expect(lines.filter((line) => line.includes('155502000'))).toHaveLength(people)

    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('after a restored backup').waitFor()
    expect([...fixture.calls().values()].every((calls) => calls === 1)).toBe(true)

    await askToResume(page)
    await journey.picture('restored')
    await dialog.getByRole('button', { name: 'Send to them too' }).click()
    await page
      .getByRole('row', { name: /Spring/ })
      .getByText('Completed')
      .waitFor()
    expect([...fixture.calls().values()].filter((calls) => calls > 1)).toHaveLength(people)
    await journey.finish()
    rmSync(folder, { recursive: true, force: true })
  },
  90_000,
)
