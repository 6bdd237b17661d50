import { expect, test } from 'bun:test'
import { join } from 'node:path'

import type { Job } from '../../../src/infra/jobs/job'
import { createRegistry } from '../../../src/registry'
import { readSources } from '../../support/sources'

const root = join(import.meta.dir, '../../..')

const isJob = (value: unknown): value is Job =>
  typeof value === 'object' && value !== null && 'queue' in value && 'fits' in value

/** Returns the jobs that a value is or contains. */
const jobsIn = (value: unknown): Job[] =>
  isJob(value)
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).filter(isJob)
      : []

test('every declared job has exactly one worker', async () => {
  const paths = readSources('src')
    .map(({ path }) => path)
    .filter((path) => path.endsWith('/jobs.ts') && !path.startsWith('src/commands/'))
  expect(paths.length).toBeGreaterThan(15)
  const modules = await Promise.all(
    paths.map((path) => import(join(root, path)) as Promise<Record<string, unknown>>),
  )
  const declared = modules.flatMap((module) => Object.values(module).flatMap(jobsIn))
  const workers = createRegistry().workers.map(({ name }) => name)
  expect(workers.toSorted()).toEqual(declared.map(({ name }) => name).toSorted())
})
