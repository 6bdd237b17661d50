import { describe, expect, test } from 'bun:test'

import type { Account, CallingSettings } from '../../../src/console/api/shapes'
import { isKnownLink } from '../../../src/console/app/open-link'
import {
  changesOf as callingChanges,
  valuesOf as callingValues,
} from '../../../src/console/pages/settings/number/calling-values'
import {
  changesOf as entryChanges,
  linksAfter,
  valuesOf as entryValues,
} from '../../../src/console/pages/settings/number/entry-values'
import {
  changesOf as profileChanges,
  valuesOf as profileValues,
} from '../../../src/console/pages/settings/number/profile-values'
import { troublesOf } from '../../../src/console/pages/settings/number/troubles'

const NOW = Date.parse('2026-11-30T12:00:00Z')
const LATER = '2026-11-30T13:00:00Z'
const BEFORE = '2026-11-30T11:00:00Z'

/** A number with which all is well. */
const WELL = {
  status: 'active',
  status_reason: null,
  quality_rating: 'GREEN',
  business_proven: true,
  registered: true,
  is_on_phone_app: false,
  code_verification_status: 'VERIFIED',
  business_verification_status: 'verified',
  phone_app_sync: null,
  subscribed: true,
  token_expires_at: null,
  paused_until: null,
  restricted_since: null,
  restricted_until: null,
  routing_roles: ['customer_service'],
  funding: { state: 'attached' },
  last_error: null,
  template_sync: null,
} as Account
const ERROR = { code: 'credential_rejected', message: 'No access.', at: BEFORE }

const keysOf = (changes: Partial<Account>, isStandby = false): string[] =>
  troublesOf({ ...WELL, ...changes }, { nowMs: NOW, isStandby }).map(
    ({ key, remedy }) => `${key} ${remedy ?? ''}`,
  )

describe('what is wrong with a number', () => {
  test.each<[string, Partial<Account>, string[]]>([
    ['nothing', {}, []],
    ['lost access', { status: 'disconnected', last_error: ERROR }, ['disconnected access']],
    ['a suspension', { status: 'suspended' }, ['suspended manager']],
    ['a number nobody checked', { status: 'pending' }, ['pending test']],
    ['an error of one that works', { last_error: ERROR }, ['refused test']],
    ['a missing subscription', { subscribed: false }, ['receive receive']],
    ['a missing registration', { subscribed: false, registered: false }, ['setup setup']],
    ['an access that ended', { token_expires_at: BEFORE }, ['over access']],
    ['an access that ends', { token_expires_at: LATER }, ['ends access']],
    ['a pause', { paused_until: LATER }, ['paused ']],
    ['a pause that is over', { paused_until: BEFORE }, []],
    ['a restriction', { restricted_since: BEFORE }, ['restricted manager']],
    ['one that is over', { restricted_since: BEFORE, restricted_until: BEFORE }, []],
    ['no payment', { funding: { ...WELL.funding, state: 'missing' } }, ['payment billing']],
    ['no role', { routing_roles: [] }, ['silent manager']],
    ['unknown roles', { routing_roles: null }, []],
    ['low quality', { quality_rating: 'RED' }, ['low manager']],
    ['no proof', { business_proven: false }, ['unproven test']],
  ])('is said of %s', (_, changes, expected) => {
    expect(keysOf(changes)).toEqual(expected)
  })

  test('is the worst first, with what the server said', () => {
    const account = { ...WELL, status: 'disconnected' as const, last_error: ERROR }
    const [first, ...others] = troublesOf(
      { ...account, quality_rating: 'RED', token_expires_at: BEFORE },
      { nowMs: NOW },
    )
    expect(first).toMatchObject({ key: 'disconnected', said: ERROR, at: BEFORE })
    expect(others.map(({ key }) => key)).toEqual(['over', 'low'])
  })

  test('is another sentence if this server at least sees what others answer', () => {
    expect(keysOf({ routing_roles: [] }, true)).toEqual(['observes manager'])
  })
})

test('a profile is changed field by field, and what was emptied is cleared', () => {
  const values = profileValues({
    ...{ about: 'Hi', address: null, description: 'Bikes', email: null, vertical: 'RETAIL' },
    ...{ websites: ['https://a.example'], profile_picture_url: null },
  })
  expect(values.websites).toEqual(['https://a.example', ''])
  expect(profileChanges({ description: '', websites: ['', 'https://b.example'] })).toEqual({
    description: null,
    websites: ['https://b.example'],
  })
})

describe('the calling settings', () => {
  const stored: CallingSettings = {
    ...{ status: 'DISABLED', icon_visibility: 'DEFAULT', countries: [], timezone: null },
    ...{ hours: null, callback_permission: 'DISABLED' },
    sip: {
      enabled: true,
      password: null,
      servers: [{ hostname: 'sip.a.example', port: 5_070, request_uri_user_params: { tgrp: 'w' } }],
    },
  }
  const value = callingValues(stored)

  test('are sent as far as they changed, the hours as a whole', () => {
    const hours = [
      { day: 'monday' as const, enabled: true, start_time: '09:00', end_time: '12:00' },
    ]
    const changes = { isOn: true, hasHours: true, hours }
    expect(callingChanges(changes, { value: { ...value, ...changes }, stored })).toEqual({
      status: 'ENABLED',
      hours,
    })
    const always = { hasHours: false }
    expect(callingChanges(always, { value: { ...value, ...always }, stored })).toEqual({
      hours: null,
    })
  })

  test('keep the parameters of a server while its name stays', () => {
    const sent = (changes: Partial<typeof value>) =>
      callingChanges(changes, { value: { ...value, ...changes }, stored }).sip
    expect(sent({ port: null })).toEqual({
      enabled: true,
      servers: [{ hostname: 'sip.a.example', port: null, request_uri_user_params: { tgrp: 'w' } }],
    })
    expect(sent({ host: 'sip.b.example' })?.servers).toEqual([
      { hostname: 'sip.b.example', port: 5_070 },
    ])
    expect(sent({ hasServer: false })).toEqual({ enabled: false })
  })
})

describe('the ways to a chat', () => {
  test('send both switches of the shop, and no username as none', () => {
    const value = entryValues({
      ...{ links: [], ice_breakers: [], commands: [], welcome: false, username: null },
      commerce: { cart_enabled: true, catalog_visible: false },
    })
    expect(entryChanges({ catalog: true, username: '' }, { ...value, catalog: true })).toEqual({
      commerce: { cart_enabled: true, catalog_visible: true },
      username: null,
    })
  })

  test('keep all other links when one changes', () => {
    const one = { id: 'A', message: 'One' }
    const two = { id: 'B', message: 'Two' }
    const links = [one, two]
    const added = { message: 'Three' }
    expect(linksAfter(links, { kind: 'add', message: 'Three' })).toEqual([one, two, added])
    expect(linksAfter(links, { kind: 'remove', id: 'A' })).toEqual([two])
    expect(linksAfter(links, { kind: 'change', id: 'B', message: 'New' })).toEqual([
      one,
      { id: 'B', message: 'New' },
    ])
  })
})

test('what is told about a number, or an endpoint, leads to its screen', () => {
  expect(isKnownLink('/accounts/01900000-0000-7000-8000-000000000001')).toBe(true)
  expect(isKnownLink('/accounts/one')).toBe(false)
  expect(isKnownLink('/settings/webhooks/01900000-0000-7000-8000-000000000001')).toBe(true)
})
