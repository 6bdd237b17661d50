import { expect, test } from 'bun:test'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fileErrorMessage } from '../../src/lib/file-error'

/** Returns the error of a file system call. */
function refusalOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

test('a file system error is one sentence with the path and the remedy, without its code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trouble-'))
  writeFileSync(join(folder, 'file'), '')
  const cases: [path: string, words: string][] = [
    [join(folder, 'nothing'), 'does not exist'],
    [folder, 'is a directory'],
    [join(folder, 'file', 'below'), 'is not a directory'],
    [join(folder, 'x'.repeat(300)), 'is too long'],
  ]
  for (const [path, words] of cases) {
    const told = fileErrorMessage(refusalOf(() => openSync(path, 'r+')))
    expect([
      told?.startsWith(path),
      told?.includes(words),
      /E[A-Z]{4,}/.test(told ?? 'ENONE'),
      told?.split('\n').length,
    ]).toEqual([true, true, false, 1])
  }
  const refused = Object.assign(new Error('EACCES: permission denied'), {
    code: 'EACCES',
    syscall: 'open',
    path: '/backups/today.zip',
  })
  expect(fileErrorMessage(refused)).toMatch(
    /^\/backups\/today\.zip is not readable or writable for user \d+\. Change its owner or mode/,
  )
  const full = Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', syscall: 'write' })
  expect(fileErrorMessage(full)).toBe('The disk is full. Free some space, or choose another path.')
  expect(fileErrorMessage(new Error('something else'))).toBeNull()
  rmSync(folder, { recursive: true })
})
