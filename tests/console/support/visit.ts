import { expect } from 'bun:test'

import type { Customer } from '../../../src/simulator/customers'
import { Journey, type Place } from './journey'

/**
 * Signs in at a server that runs elsewhere, receives a message while the page is open, answers it,
 * and reloads.
 */
export async function visit(
  place: Place,
  login: { email: string; password: string },
  customer: Customer,
): Promise<void> {
  const journey = await Journey.open(place, { ignoreHTTPSErrors: true })
  const { page } = journey
  await journey.enter(login.email, login.password)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.getByText('Nobody is waiting').waitFor()
  await customer.says('Are you open today?')
  await page
    .getByRole('listitem')
    .filter({ hasText: customer.name ?? '' })
    .getByRole('link')
    .click()
  await page.getByRole('log').getByText('Are you open today?').waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('Yes, until six.')
  await page.keyboard.press('Enter')
  const answer = page.getByRole('log').getByRole('article').filter({ hasText: 'Yes, until six.' })
  await answer.getByRole('img', { name: /Sent|Delivered|Read/ }).waitFor()
  await page.reload()
  await answer.waitFor()
  expect(await page.evaluate('Object.keys(localStorage)')).toContain('signed-in')
  await journey.finish()
}
