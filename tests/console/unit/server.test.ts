import { describe, expect, test } from 'bun:test'

import {
  canCommit,
  canDiscard,
  canMove,
  canRetry,
  figureOf,
  progressOf,
  type Move,
  type OrganizationImport,
} from '../../../src/console/pages/server/rules'
import {
  countText,
  nameOfJob,
  oftenOf,
  reasonOfJob,
  sentenceOfFinding,
  valueOfSetting,
  type HealthFinding,
} from '../../../src/console/pages/server/words'
import { loadLateTexts } from '../../../src/console/texts/texts'

await loadLateTexts()

describe('the screens about the server', () => {
  test('say what work does and why it failed, with what the server noted', () => {
    expect(nameOfJob('media.download')).toBe('Fetch a file from WhatsApp')
    expect(nameOfJob('made.up')).toBe('made.up')
    for (const [error, start] of [
      ['connect ECONNREFUSED 10.0.0.1:443', 'The other side could not be reached'],
      ['https://b.example.com did not answer: refused.', 'The other side could not be reached'],
      ['The operation timed out.', 'It took too long'],
      ['this version has no job named made.up', 'This version of Switchboard does not know'],
      ['the process ended during every attempt', 'The server stopped each time'],
      ['Error validating access token', 'WhatsApp does not accept the access token'],
      ['database is locked', 'The database was busy'],
      ['something else', 'The server noted: something else'],
    ] as const) {
      expect(reasonOfJob(error)).toStartWith(start)
      expect(reasonOfJob(error)).toContain(error)
    }
    expect(reasonOfJob(null)).toBe('No error was noted.')
  })

  test('offer only what a job allows', () => {
    const states = ['available', 'executing', 'retryable', 'scheduled', 'completed', 'discarded']
    const job = (state: string) => ({ id: '1', kind: 'a.b', state })
    expect(states.filter((state) => canRetry(job(state)))).toEqual([
      ...['retryable', 'scheduled', 'discarded'],
    ])
    expect(states.filter((state) => canDiscard(job(state)))).toEqual([
      ...['available', 'retryable', 'scheduled'],
    ])
  })

  test('say how often work recurs', () => {
    expect(oftenOf('every 15 minutes')).toBe('Every 15 minutes')
    expect(oftenOf('every day')).toBe('Every day')
    expect(oftenOf('30 3 * * * (UTC)')).toBe('Every day at 03:30 (UTC)')
    expect(oftenOf('*/5 1 * * 1 (UTC)')).toBe('*/5 1 * * 1 (UTC)')
  })

  test('sum up the figures of a day', () => {
    expect(figureOf('total', [1, 2, 3])).toBe(6)
    expect(figureOf('now', [1, 2, 3])).toBe(3)
    expect(figureOf('most', [1, 5, 3])).toBe(5)
    expect([figureOf('now', []), figureOf('most', [])]).toEqual([0, 0])
  })

  test('never show a secret, and say what was found with its numbers', () => {
    const setting = { name: 'SMTP_URL', source: 'environment' } as const
    expect(valueOfSetting({ ...setting, secret: true, value: 'set' })).toBe('set (hidden)')
    expect(valueOfSetting({ ...setting, secret: true, value: 'unset' })).toBe('not set')
    expect(valueOfSetting({ ...setting, secret: false, value: 7 })).toBe('7')
    expect(valueOfSetting({ ...setting, secret: false, value: null })).toBe('not set')
    const finding = { check: 'disk', state: 'problem', message: 'In English.' } as const
    const short: HealthFinding = { ...finding, code: 'disk_short', values: { bytes: 3_000_000 } }
    expect(sentenceOfFinding(short)).toStartWith('Only 3 MB are free.')
    expect(sentenceOfFinding({ ...finding, code: null, values: {} })).toBe('In English.')
  })

  test('count up to a million', () => {
    expect(countText(999_999)).toBe('999,999')
    expect(countText(1_000_000)).toBe('1,000,000 or more')
  })

  test('say how far a move is, and whether an archive can be imported', () => {
    const move = { sent_bytes: 3, archive_bytes: 9, rows_done: 1, rows_total: 4 }
    const at = (step: Move['step']) => progressOf({ ...move, step } as Move)
    expect(at('exporting')).toEqual({ done: 0, total: null })
    expect(at('uploading')).toEqual({ done: 3, total: 9 })
    expect(at('importing')).toEqual({ done: 1, total: 4 })
    expect(at('activating')).toEqual({ done: 0, total: null })
    const archive = (state: string, ...kinds: string[]) =>
      canCommit({ state, conflicts: kinds.map((kind) => ({ kind })) } as OrganizationImport)
    expect(archive('checked', 'slug_taken', 'email_exists')).toBe(true)
    expect(archive('checked', 'slug_taken', 'number_in_use')).toBe(false)
    expect(archive('checked', 'organization_exists')).toBe(false)
    expect(archive('running')).toBe(false)
    expect([canMove('active', undefined), canMove('deleting', undefined)]).toEqual([true, false])
    const ended = '2026-11-21T10:00:00.000Z'
    expect(canMove('active', { finished_at: ended })).toBe(true)
    expect(canMove('active', { finished_at: null })).toBe(false)
  })
})
