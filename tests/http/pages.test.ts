import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runInNewContext } from 'node:vm'

import type { Client, Loose } from '../support/client'
import { freshEmail, newcomer } from '../support/newcomers'
import { codeOf, switchOn } from '../support/second-factor'
import { PASSWORD, World } from '../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const PAGES = ['/reset-password', '/join']

/** One element of a page, as far as its script touches it. */
interface Part {
  hidden: boolean
  disabled: boolean
  readOnly: boolean
  value: string
  textContent: string
  send: (() => Promise<void>) | null
  /** Which of its elements has the focus, as a selector. */
  focused: string | null
  querySelector(selector: string): { focus: () => void }
  addEventListener(type: 'submit', act: (event: { preventDefault(): void }) => Promise<void>): void
}

/**
 * A page that is open in a browser of sorts: its own scripts run over its own elements and ask the
 * real server.
 */
interface Open {
  part(id: string): Part
  /** Where its address was changed to. */
  address: string | null
  /** What it kept in the storage of the browser. */
  kept: Map<string, string>
  idle(): Promise<void>
}

function newPart(isHidden: boolean): Part {
  const part: Part = {
    hidden: isHidden,
    disabled: false,
    readOnly: false,
    value: '',
    textContent: '',
    send: null,
    focused: null,
    querySelector: (selector) => ({
      focus: () => {
        part.focused = selector
      },
    }),
    addEventListener: (_type, act) => {
      part.send = () => act({ preventDefault: () => undefined })
    },
  }
  return part
}

async function open(link: string, language = 'en'): Promise<Open> {
  const { pathname, hash } = new URL(link)
  const headers = { 'accept-language': language }
  const page = await (await fetch(world.url + pathname, { headers })).text()
  const parts = new Map(
    [...page.matchAll(/<\w+ id="(\w+)"([^>]*)>/g)].map(([, id = '', rest = '']) => [
      id,
      newPart(/\bhidden\b/.test(rest)),
    ]),
  )
  const scripts = [...page.matchAll(/<script src="([^"]+)"/g)].map(([, src = '']) => src)
  const source = await Promise.all(
    scripts.map(async (src) => (await fetch(`${world.url}/${src}`)).text()),
  )
  const asked: Promise<unknown>[] = []
  const opened: Open = {
    part: (id) => {
      const part = parts.get(id)
      if (!part) throw new Error(`the page has no element ${id}`)
      return part
    },
    address: null,
    kept: new Map(),
    async idle() {
      for (let done = -1; done !== asked.length;) {
        done = asked.length
        await Promise.allSettled(asked)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
  const ask = (path: string, init: RequestInit): Promise<Response> => {
    const answer = fetch(`${world.url}/${path}`, init)
    asked.push(answer.then((response) => response.clone().text()))
    return answer
  }
  const replaceState = (_state: null, _title: string, to: string): void => {
    opened.address = to
  }
  const document = { getElementById: (id: string) => opened.part(id) }
  runInNewContext(source.join('\n'), {
    document,
    location: { hash, pathname, replace: (to: string) => replaceState(null, '', to) },
    localStorage: { setItem: (name: string, value: string) => opened.kept.set(name, value) },
    history: { replaceState },
    fetch: ask,
    URLSearchParams,
  })
  await opened.idle()
  return opened
}

const fill = async (page: Open, values: Record<string, string>): Promise<void> => {
  for (const [id, value] of Object.entries(values)) page.part(id).value = value
  await page.part('form').send?.()
}

const invite = async (more: Loose = {}): Promise<Loose> =>
  (await admin.post('/api/organizations/invitations', more)).data

const signIn = (email: string, password: string) =>
  world.anyone.post('/api/auth/login', { email, password })

describe('pages behind links', () => {
  for (const path of PAGES)
    test(`${path} uses only files of this server`, async () => {
      const response = await fetch(world.url + path)
      const page = await response.text()
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html;charset=utf-8',
      ])
      expect(page).not.toMatch(/https?:|\/\/[a-z]/)
      expect(page).not.toMatch(/<script(?![^>]* src=)|\son\w+=|<style|\sstyle=/)
      // The rest is the link to the console.
      const files = [...page.matchAll(/(?:src|href)="([^"]+\.\w+(?:\?[^"]*)?)"/g)].map(
        ([, file = '']) => file,
      )
      expect(files).toHaveLength(3)
      for (const file of files) {
        const answer = await fetch(`${world.url}/${file}`)
        const type = file.includes('.css')
          ? 'text/css;charset=utf-8'
          : 'text/javascript;charset=utf-8'
        expect([file, answer.status, answer.headers.get('content-type')]).toEqual([file, 200, type])
        expect(await answer.text()).not.toMatch(/https?:|\/\/[a-z]|innerHTML|@import|url\(/)
      }
    })

  for (const path of PAGES)
    test(`${path} loads nothing from elsewhere and cannot be framed, cached or run without its script`, async () => {
      const { headers } = await fetch(world.url + path)
      expect(headers.get('content-security-policy')?.split('; ').toSorted()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "object-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
      ])
      expect([
        headers.get('referrer-policy'),
        headers.get('x-content-type-options'),
        headers.get('cache-control'),
      ]).toEqual(['no-referrer', 'nosniff', 'no-store'])
    })

  for (const path of PAGES)
    test(`${path} has a language, a heading, a label for each field and regions for messages`, async () => {
      const page = await (await fetch(world.url + path)).text()
      const fields = [...page.matchAll(/<input id="(\w+)"/g)].map(([, id]) => id)
      expect(fields.length).toBeGreaterThan(1)
      expect([...page.matchAll(/<label for="(\w+)"/g)].map(([, id]) => id)).toEqual(fields)
      expect(
        [...page.matchAll(/<input [^>]*>/g)].filter(([field]) => !field.includes('autocomplete=')),
      ).toEqual([])
      for (const word of [
        '<html lang="en" dir="ltr">',
        '<main>',
        '<h1>',
        'role="alert"',
        'role="status"',
        '<noscript>',
      ])
        expect(page).toContain(word)
    })

  test('speak the first language of the browser that the console has', async () => {
    for (const [wanted, language, direction] of [
      ['de-AT,en;q=0.8', 'de', 'ltr'],
      ['fr,ar;q=0.9', 'ar', 'rtl'],
      ['fr', 'en', 'ltr'],
      ['', 'en', 'ltr'],
    ])
      for (const path of PAGES) {
        const headers = { 'accept-language': wanted ?? '' }
        const page = await (await fetch(world.url + path, { headers })).text()
        expect(page).toContain(`<html lang="${language}" dir="${direction}">`)
        expect(page).toContain(`link.js?language=${language}"`)
      }
  })

  test('say errors in that language', async () => {
    const page = await open(`${world.url}/join#token=unknown`, 'de')
    expect(page.part('next').hidden).toBe(false)
    expect(page.part('trouble').textContent).toContain('Diese Einladung ist ungültig')
    const reset = await open(`${world.url}/reset-password#token=unknown`, 'ar')
    await fill(reset, { password: 'quite another word', repeated: 'quite another word' })
    expect(reset.part('trouble').textContent).toContain('هذا الرابط غير صالح')
  })

  for (const path of PAGES)
    test(`${path} without a token says so and shows no form`, async () => {
      const page = await open(`${world.url}${path}`)
      expect(page.part('trouble').textContent).toContain('incomplete')
      expect(page.part('form').hidden).toBe(true)
    })
})

describe('a password reset link', () => {
  const linkFor = async (id: string): Promise<string> =>
    (await admin.post(`/api/users/${id}/password-reset`)).data['reset_url'] as string

  test('opens a page to choose a new password', async () => {
    const { id, email } = await newcomer(world)
    const page = await open(await linkFor(id))
    expect(page.part('form').hidden).toBe(false)
    expect(page.part('form').focused).toBe('input:not([readonly])')
    await fill(page, { password: 'quite another word', repeated: 'quite another word' })
    expect([page.part('said').textContent, page.part('trouble').textContent]).toEqual([
      expect.stringContaining('Password saved'),
      '',
    ])
    expect([page.part('form').hidden, page.address]).toEqual([true, '/reset-password'])
    expect((await signIn(email, 'quite another word')).status).toBe(200)
  })

  test('shows errors and can be used again afterwards', async () => {
    const { id, email } = await newcomer(world)
    const page = await open(await linkFor(id))
    await fill(page, { password: 'quite another word', repeated: 'quite another wort' })
    expect(page.part('trouble').textContent).toBe('The passwords do not match.')
    await fill(page, { password: 'short', repeated: 'short' })
    expect(page.part('trouble').textContent).toContain('must be 8 to 256 characters')
    expect(page.part('send').disabled).toBe(false)
    await fill(page, { password: 'quite another word', repeated: 'quite another word' })
    expect((await signIn(email, 'quite another word')).status).toBe(200)
  })

  test('says that it was used already', async () => {
    const { id } = await newcomer(world)
    const link = await linkFor(id)
    for (const _ of [1, 2])
      await fill(await open(link), {
        password: 'quite another word',
        repeated: 'quite another word',
      })
    const page = await open(link)
    await fill(page, { password: 'quite another word', repeated: 'quite another word' })
    expect(page.part('trouble').textContent).toContain('is invalid or has expired')
  })
})

describe('an invitation link', () => {
  test('shows its offer and lets a new person join without signing in', async () => {
    const email = freshEmail()
    const { invite_url } = await invite({ email, role_id: world.tenant.roleIds.manager })
    const page = await open(invite_url)
    expect(page.part('said').textContent).toBe('You are invited to join Acme as Manager.')
    expect([
      page.part('email').value,
      page.part('email').readOnly,
      page.part('form').hidden,
    ]).toEqual([email, true, false])
    await fill(page, { name: 'New Person', password: PASSWORD })
    expect([page.part('said').textContent, page.address]).toEqual(['You joined Acme.', 'inbox'])
    // The console takes over the session of the page.
    expect(page.kept.get('signed-in')).toBe('1')
    const { data } = await signIn(email, PASSWORD)
    const person = world.anyone.with({ authorization: `Bearer ${data['access_token']}` })
    expect((await person.get('/api/me')).data).toMatchObject({
      full_name: 'New Person',
      role: { name: 'manager' },
    })
    expect((await person.get('/api/me/sessions')).data['items']).toHaveLength(2)
  })

  test('names a role of the system in the language of the page, an own one as it is', async () => {
    const { invite_url } = await invite({ role_id: world.tenant.roleIds.manager })
    expect((await open(invite_url, 'ar')).part('said').textContent).toContain('بصفة مدير.')
    const { data: role } = await admin.post('/api/roles', { name: 'toString', permissions: [] })
    const own = await invite({ role_id: role['id'] })
    expect((await open(own['invite_url'])).part('said').textContent).toEndWith('as toString.')
  })

  test('asks a person with two-factor authentication for the code', async () => {
    const { email, client } = await newcomer(world, { tenant: world.other })
    const { secret } = await switchOn(world, client)
    const page = await open((await invite()).invite_url)
    expect([page.part('second').hidden, page.part('email').readOnly]).toEqual([true, false])
    await fill(page, { email, name: 'Whoever', password: PASSWORD })
    expect(page.part('second').hidden).toBe(false)
    await fill(page, { code: codeOf(world, secret) })
    expect([page.part('said').textContent, page.part('trouble').textContent]).toEqual([
      expect.stringContaining('You joined Acme'),
      '',
    ])
  })

  test('says that it is invalid and shows no form', async () => {
    const { id, invite_url } = await invite()
    await admin.delete(`/api/organizations/invitations/${id}`)
    const page = await open(invite_url)
    expect([page.part('trouble').textContent, page.part('form').hidden]).toEqual([
      expect.stringContaining('is invalid or has expired'),
      true,
    ])
  })
})
