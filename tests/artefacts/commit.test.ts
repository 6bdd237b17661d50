import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readCommit } from '../../src/release/commit'

let folder: string

const git = (...args: string[]): string => {
  const run = Bun.spawnSync(['git', '-C', folder, '-c', 'commit.gpgsign=false', ...args], {
    env: {
      ...process.env,
      GIT_COMMITTER_DATE: '2026-11-30T14:06:15+02:00',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    },
  })
  expect({ args, exitCode: run.exitCode }).toEqual({ args, exitCode: 0 })
  return run.stdout.toString().trim()
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('a build knows its commit and the time of it in UTC, and says if files differ from it', () => {
  expect(readCommit(folder)).toBeNull()
  git('init', '--quiet')
  expect(readCommit(folder)).toBeNull()

  writeFileSync(join(folder, 'a.txt'), 'a')
  git('add', 'a.txt')
  git('commit', '--quiet', '-m', 'one')
  const hash = git('rev-parse', 'HEAD')
  expect(readCommit(folder)).toEqual({ hash, committedAt: '2026-11-30T12:06:15.000Z' })

  writeFileSync(join(folder, 'built.txt'), 'a file that git does not know')
  expect(readCommit(folder)?.hash).toBe(hash)
  writeFileSync(join(folder, 'a.txt'), 'b')
  expect(readCommit(folder)?.hash).toBe(`${hash}-modified`)
})

test('an archive of the source does not take the commit of a repository around it', () => {
  const archive = join(folder, 'switchboard-0.1.0')
  mkdirSync(archive)
  expect(readCommit(archive)).toBeNull()
})
