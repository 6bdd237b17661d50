import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Step } from './baseline'

/** Tests beside the mirrored folder that concern a folder of the source, as patterns. */
const BESIDE: Record<string, string[]> = {
  'src/http': ['tests/guards.test.ts', 'tests/bad-input.test.ts', 'tests/refusals.test.ts'],
  'src/infra/backup': [
    'tests/modules/operation/system/backups.test.ts',
    'tests/commands/backup*.test.ts',
    'tests/commands/restore*.test.ts',
  ],
  'src/infra/idempotency': [
    'tests/modules/data/privacy/erasure.test.ts',
    'tests/flows/key-rotation.test.ts',
  ],
  'src/infra/throttle': [
    'tests/modules/organization/auth/login.test.ts',
    'tests/modules/organization/auth/proofs.test.ts',
    'tests/modules/organization/auth/login-storm.test.ts',
  ],
  'src/modules/channel/accounts': [
    'tests/flows/business-accounts.test.ts',
    'tests/flows/two-numbers.test.ts',
  ],
  'src/modules/organization/auth': ['tests/permissions.test.ts'],
  'src/modules/outreach/campaigns': ['tests/flows/campaign-*.test.ts'],
  'src/modules/inbox/contacts': [
    'tests/modules/inbox/messages/direct.test.ts',
    'tests/modules/inbox/messages/opt-outs.test.ts',
    'tests/modules/inbox/contact-operations/*.test.ts',
    'tests/modules/data/privacy/*.test.ts',
    'tests/modules/outreach/segments/*.test.ts',
    'tests/modules/inbox/search/*.test.ts',
    'tests/modules/data/imports/*.test.ts',
    'tests/flows/same-person.test.ts',
    'tests/flows/incoming-message.test.ts',
  ],
  'src/modules/data/exports': ['tests/modules/data/privacy/privacy.test.ts'],
  'src/modules/data/imports': [
    'tests/flows/import-killed.test.ts',
    'tests/flows/huge-files.test.ts',
  ],
  'src/modules/channel/inbound': [
    'tests/flows/incoming-*.test.ts',
    'tests/flows/unrouted.test.ts',
    'tests/flows/order.test.ts',
  ],
  'src/modules/channel/media': [
    'tests/modules/inbox/messages/media-sending.test.ts',
    'tests/modules/inbox/messages/uploads.test.ts',
    'tests/modules/outreach/campaigns/template-contents.test.ts',
  ],
  'src/modules/inbox/messages': [
    'tests/flows/key-rotation.test.ts',
    'tests/flows/masked-numbers.test.ts',
    'tests/flows/order.test.ts',
    'tests/modules/channel/calls/calls.test.ts',
    'tests/modules/outreach/campaigns/schedules-and-windows.test.ts',
    'tests/modules/outreach/campaigns/template-contents.test.ts',
    'tests/modules/channel/flows/sent.test.ts',
    'tests/modules/operation/system/metrics.test.ts',
    'tests/modules/inbox/contact-operations/merge.test.ts',
    'tests/modules/inbox/conversations/*.test.ts',
    'tests/flows/incoming-*.test.ts',
    'tests/flows/same-person.test.ts',
    'tests/flows/statuses.test.ts',
    'tests/flows/revisions.test.ts',
    'tests/flows/reactions-in.test.ts',
  ],
  'src/modules/organization/users': [
    'tests/first-start.test.ts',
    'tests/modules/organization/members/*.test.ts',
    'tests/modules/organization/auth/login*.test.ts',
  ],
}

/** Files that say which routes there are, who may call them and what they take. */
const TELLS_ROUTES = /\/(?:routes|model)\.ts$/
/** Tests that go through all routes at once. */
const OF_ALL_ROUTES = ['tests/contract/openapi.test.ts', 'tests/permissions.test.ts']

/** Files that declare jobs and schedules. */
const DECLARES_JOBS = /\/(?:jobs|[a-z-]+-jobs|module)\.ts$/

/** The tests of all routes and of all jobs, when the files declare some. */
export const testsOfDeclarations = (files: string[]): string[] => [
  ...(files.some((file) => TELLS_ROUTES.test(file)) ? OF_ALL_ROUTES : []),
  ...(files.some((file) => DECLARES_JOBS.test(file)) ? ['tests/registry.test.ts'] : []),
]

/** The test that compares the API's document; a change of routes and shapes shows there first. */
const OF_DOCUMENT: Step = {
  file: 'tests/contract/openapi.test.ts',
  only: ['the committed document is the generated one'],
  tookMs: 3_000,
}

/** The test that looks at the declarations of all jobs and schedules. */
const OF_JOBS: Step = { file: 'tests/registry.test.ts', only: null, tookMs: 2_000 }

/** What is tried before all else for a file. */
export const firstStepsFor = (file: string): Step[] => [
  ...(TELLS_ROUTES.test(file) ? [OF_DOCUMENT] : []),
  ...(DECLARES_JOBS.test(file) ? [OF_JOBS] : []),
]

const filesOf = (pattern: string): string[] => [...new Bun.Glob(pattern).scanSync()].toSorted()

/**
 * The nearest of a folder and those above it that has something beside it in the tests; `null` when
 * none has.
 */
function mirrored(folder: string): string | null {
  for (let at = folder; at !== 'src' && at !== '.'; at = dirname(at)) {
    const beside = at.replace(/^src\//, 'tests/')
    // All tests of all modules concern no single one of them.
    if (
      !/^src\/(?:modules|infra|lib)$/.test(at) &&
      existsSync(beside) &&
      statSync(beside).isDirectory()
    )
      return beside
  }
  return null
}

/**
 * The test files that concern a folder of the source: those of the folder of the same name, and
 * those that are named beside it.
 */
export function testsOf(folder: string): string[] {
  const place = mirrored(folder)
  const own = place === null ? [] : filesOf(join(place, '**/*.test.ts'))
  const beside = Object.entries(BESIDE).filter(
    ([of]) => folder === of || folder.startsWith(`${of}/`),
  )
  return [...new Set([...own, ...beside.flatMap(([, patterns]) => patterns.flatMap(filesOf))])]
}

/**
 * The source files of a folder that mutations are made in; macros run while the program is built.
 */
export const sourcesOf = (folder: string): string[] =>
  filesOf(join(folder, '**/*.ts')).filter((file) => !/\.(?:macro|d)\.ts$|[/-]table\.ts$/.test(file))
