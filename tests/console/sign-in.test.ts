import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'

describe.skipIf(CHROMIUM === null)('signing in', () => {
  let live: LiveWorld

  beforeAll(async () => {
    live = await LiveWorld.create()
  }, 30_000)

  afterAll(() => live.stop())

  test('leads to the page of the address and survives a reload', async () => {
    const journey = await live.open({ path: '/inbox?view=mine' })
    const { page } = journey
    await journey.requireAccessible()
    await journey.signIn('agent')
    expect(new URL(page.url()).search).toBe('?view=mine')
    await page.reload()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['signed-in'])
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([])
    await journey.finish()
  }, 60_000)

  test('tells about a wrong password and asks for nothing before the first sign-in', async () => {
    const journey = await live.open({ expected: [/401/] })
    const { page } = journey
    await page.getByRole('textbox', { name: 'Email' }).fill('nobody@example.com')
    await page.locator('input[name=password]').fill(PASSWORD)
    expect(journey.requests).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Email or password is wrong.').waitFor()
    await journey.finish()
  }, 90_000)
})
