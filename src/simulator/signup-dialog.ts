import { randomUUID } from 'node:crypto'

import type { Business, Phone } from './accounts'
import { issueCode, SIMULATED_APP } from './administration'
import type { Call } from './calls'
import type { Answer } from './messages'
import { seconds, type World } from './world'

/** The ways in which the dialog can end. */
export const SIGNUP_ENDS = {
  verified: 'Finish with a number that is verified',
  unverified: 'Finish with a number that is not verified',
  no_number: 'Finish without a number',
  several: 'Finish with two numbers',
  phone_app: 'Finish with the number of my phone app',
  again: 'Finish with the first number again',
  cancelled: 'Cancel at the step of the phone number',
  failed: 'Report an error',
  closed: 'Close the window',
  finished_and_closed: 'Finish, and close the window on the last page',
} as const

/** One of the ends. */
export type SignupEnd = keyof typeof SIGNUP_ENDS

/** The configuration of the simulated dialog. */
export const SIGNUP_CONFIG = '701000000000001'

const PHONE_APP = 'whatsapp_business_app_onboarding'
const SIXTY_DAYS_S = 60 * 24 * 60 * 60

/** What the dialog tells the page that opened it. */
interface Message {
  event: string
  data: Record<string, unknown>
  version?: number
}

const html = (status: number, body: string): Answer => ({
  status,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>WhatsApp</title>
<style>body{font:16px system-ui;max-width:30rem;margin:2rem auto;padding:0 1rem}button{display:block;width:100%;margin:.5rem 0;padding:.6rem;font:inherit;text-align:start}</style>${body}</html>`,
  headers: { 'content-type': 'text/html; charset=utf-8' },
})

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** `dialog/oauth` shows the ends to choose from; `dialog/end` plays one. */
export function signupDialog(world: World, call: Call, url: URL): Answer {
  const trouble = troubleWith(url)
  if (trouble !== null) return html(400, `<h1>Sorry, something went wrong</h1><p>${trouble}</p>`)
  return call.path.endsWith('/end') ? play(world, url) : choice(url)
}

/** Embedded Signup v4: `setup` in the extras, and no version, which the configuration selects. */
function troubleWith({ searchParams }: URL): string | null {
  const wanted = {
    client_id: SIMULATED_APP,
    config_id: SIGNUP_CONFIG,
    response_type: 'code',
    override_default_response_type: 'true',
  }
  const wrong = Object.entries(wanted).find(([name, value]) => searchParams.get(name) !== value)
  if (wrong) return `The parameter ${wrong[0]} is missing or wrong.`
  if ((searchParams.get('redirect_uri') ?? '') === '' || (searchParams.get('state') ?? '') === '')
    return 'The parameters redirect_uri and state are required.'
  try {
    const { setup, featureType, ...others } = JSON.parse(
      searchParams.get('extras') ?? '',
    ) as Record<string, unknown>
    const isKnown = featureType === undefined || featureType === PHONE_APP
    const [unknown] = Object.keys(others)
    if (typeof setup === 'object' && setup !== null && isKnown && unknown === undefined) return null
    return `The extras are not those of version 4: ${escaped(unknown ?? 'setup, featureType')}.`
  } catch {
    return 'The extras are not JSON.'
  }
}

const isPhoneApp = ({ searchParams }: URL): boolean =>
  (searchParams.get('extras') ?? '').includes(PHONE_APP)

function choice(url: URL): Answer {
  const hidden = [...url.searchParams]
    .map(
      ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
    )
    .join('')
  const buttons = Object.entries(SIGNUP_ENDS)
    .filter(([end]) => (end === 'phone_app') <= isPhoneApp(url))
    .map(([end, words]) => `<button name="end" value="${end}">${words}</button>`)
    .join('')
  return html(
    200,
    `<h1>Simulated WhatsApp</h1><form action="end">${hidden}
<label><input type="checkbox" name="new_business"> My business is not verified</label><br>
<label><input type="checkbox" name="sixty_days"> The access ends after 60 days</label>${buttons}</form>`,
  )
}

/** Plays an end: makes what the person chose, tells the opener, and leads back or closes. */
function play(world: World, url: URL): Answer {
  const end = (url.searchParams.get('end') ?? '') as SignupEnd
  const { message, code } = outcomeOf(world, url, end)
  const back = new URL(url.searchParams.get('redirect_uri') ?? '')
  back.searchParams.set('state', url.searchParams.get('state') ?? '')
  if (code !== undefined) back.searchParams.set('code', code)
  else {
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('error_reason', 'user_denied')
    back.searchParams.set('error_description', 'Permissions error')
  }
  const closes = end === 'closed' || end === 'finished_and_closed'
  const told = JSON.stringify({ type: 'WA_EMBEDDED_SIGNUP', ...message })
  const parts = [
    message === null
      ? ''
      : `if (window.opener) window.opener.postMessage(${JSON.stringify(told)}, '*');`,
    closes ? 'window.close()' : `location.replace(${JSON.stringify(back.href)})`,
  ]
  return html(200, `<script>${parts.join('\n').replaceAll('<', '\\u003c')}</script>`)
}

function outcomeOf(
  world: World,
  url: URL,
  end: SignupEnd,
): { message: Message | null; code?: string } {
  const codeFor = (of: Pick<Business, 'token'>): string =>
    issueCode(world, of, url.searchParams.get('redirect_uri'))
  if (end === 'closed') return { message: null }
  if (end === 'cancelled')
    return { message: { event: 'CANCEL', data: { current_step: 'PHONE_NUMBER_SETUP' } } }
  if (end === 'failed')
    return {
      message: {
        event: 'CANCEL',
        data: {
          error_message: 'Your business cannot add more phone numbers.',
          error_code: '524126',
          session_id: randomUUID(),
          timestamp: String(seconds(world)),
        },
      },
    }
  const business = newBusiness(world, url)
  if (end === 'no_number') {
    world.accounts.addBusiness(business)
    return {
      message: { event: 'FINISH_ONLY_WABA', data: { waba_id: business.wabaId }, version: 3 },
      code: codeFor(business),
    }
  }
  const phone = end === 'again' ? renewed(world, url) : newPhone(world, business, end)
  if (end === 'several') newPhone(world, business, end)
  const data =
    end === 'phone_app' || end === 'several'
      ? { waba_id: phone.wabaId }
      : { phone_number_id: phone.id, waba_id: phone.wabaId, business_id: phone.portfolioId }
  const event = end === 'phone_app' ? 'FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING' : 'FINISH'
  return { message: { event, data }, code: codeFor(phone) }
}

const expiryFrom = (world: World, url: URL): number =>
  url.searchParams.has('sixty_days') ? seconds(world) + SIXTY_DAYS_S : 0

/** A business account that the person made in the dialog. */
function newBusiness(world: World, url: URL): Business {
  const nth = world.administration.next('')
  return {
    wabaId: String(202_000_000_000_000 + Number(nth)),
    token: `signup-token-${nth}`,
    tokenExpiresAt: expiryFrom(world, url),
    portfolioId: '501000000000002',
    businessVerification: url.searchParams.has('new_business') ? 'not_verified' : 'verified',
  }
}

const newPhone = (world: World, business: Business, end: SignupEnd): Phone =>
  world.accounts.add({
    ...business,
    verifiedName: 'Corner Bakery',
    status: end === 'phone_app' ? 'CONNECTED' : 'PENDING',
    codeVerificationStatus: end === 'unverified' ? 'NOT_VERIFIED' : 'VERIFIED',
    isOnBizApp: end === 'phone_app',
    ...(end === 'phone_app' ? { phoneApp: { connectedAtMs: world.nowMs() } } : {}),
  })

/** The first number, whose token is replaced. */
function renewed(world: World, url: URL): Phone {
  const [first] = world.accounts.phones
  return world.accounts.add({
    ...(first === undefined ? {} : { id: first.id }),
    token: `renewed-token-${world.administration.next('')}`,
    tokenExpiresAt: expiryFrom(world, url),
  })
}
