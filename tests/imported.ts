/**
 * Runs the stories of all modules on organizations that are exported and imported in the middle of
 * their test (`tests/support/journey.ts`). Fails if another test fails than those below, which check
 * what stays behind when an organization leaves its server (`src/docs/grow.md`).
 */

/** Modules whose tests import and move organizations themselves. */
const TRAVELLING = ['cells', 'organization-archive', 'organization-import', 'organization-move']

/** What stays behind, and the tests that check it: files, or parts of names. */
const STAYS_BEHIND: Record<string, string[]> = {
  'the journal of webhooks': [
    'tests/modules/inbound/',
    'stored webhook deliveries after an erasure > hold none of its data',
    'makes no contact of an erased person, and one of a stranger',
  ],
  'the event log, which begins anew': [
    'rings for an hour, then is missed and unread once',
    'erases its calls with their files, and the receipt counts them',
    'can be permanent or denied',
    'hears the same when the socket resumes',
    'disappears from all lists, and the event log keeps only the deletion',
  ],
  'the event log and the jobs, whose rows a test counts before and after': [
    'a carousel with eleven cards is refused and stores nothing',
    'nothing is sent and nothing stored, not even a contact,',
    'refuses a reaction sent like a message',
    'works for an unknown number without creating a contact',
    'a file named by URL > is refused at',
    'one more is 400 that names the field:',
    'invalid messages are 400 that names every invalid field',
    'is refused and stores nothing: > a carousel',
  ],
  jobs: [
    'a rejected send is shown as a discarded job',
    'a send that is retried shows its attempts',
    'happens when its discarded job is retried',
    'is a bulk operation that requires jobs:retry',
  ],
  'uploads to the platform': [
    'is uploaded once per phone number and reused for 25 days',
    'uploads a file once for two messages',
  ],
  exports: ['is exported for its members'],
  'the keys of the server, which its links and its database need': [
    'has a link with a page, and one click is enough',
    'continues a retry after the process is killed',
  ],
  'the memory of a process: its rate limits, and what a test watches in it': [
    'by hand > a test is sent once and its result is answered',
    'by hand > an organization can test its endpoints ten times a minute',
    'a search of many messages > for lampp',
  ],
  'how often a server added figures up': ['rebuild.test.ts', 'rebuild-work.test.ts'],
}

/** Tests with rows or permissions that no server writes: an import refuses them. */
const INVENTED = [
  'counts the errors of recipients as these change',
  'when a thousand messages wait for one contact',
  'a numbered change of the permission catalog',
  'tests/modules/roles/roles.test.ts',
]

const expected = [...Object.values(STAYS_BEHIND).flat(), ...INVENTED]

/** Returns the failed tests of a run, each with its file. */
function failuresIn(output: string): string[] {
  const failed = new Set<string>()
  let file = ''
  for (const line of output.split('\n')) {
    const [, name] = /^(tests\/.+\.test\.ts):$/.exec(line) ?? []
    if (name !== undefined) file = name
    if (/^\d+ tests? failed:$/.test(line)) break
    if (line.startsWith('(fail)')) failed.add(`${file}: ${line.replace(/ \[[\d.]+ms\]$/, '')}`)
  }
  return [...failed]
}

const folders = process.argv.slice(2)
const ignored = TRAVELLING.flatMap((module) => [
  '--path-ignore-patterns',
  `tests/modules/${module}/**`,
])
const run = Bun.spawn(
  [
    ...[process.execPath, 'test', '--timeout', '600000', ...ignored],
    ...(folders.length > 0 ? folders : ['./tests/modules']),
  ],
  { env: { TRAVEL: 'import', ...process.env }, stdout: 'inherit', stderr: 'pipe' },
)
const output = await new Response(run.stderr).text()
const exitCode = await run.exited
const failures = failuresIn(output)
const faults = failures.filter((name) => !expected.some((part) => name.includes(part)))
const passed = output.match(/^\(pass\)/gm)?.length ?? 0
const counts = `${passed} passed, ${failures.length - faults.length} failed as documented, ${faults.length} failed`
/** Whether it ended without saying which test failed, as after an error between tests. */
const isBroken = passed === 0 || (exitCode !== 0 && failures.length === 0)
if (faults.length > 0 || isBroken) process.stderr.write(output)
process.stdout.write(`${[counts, ...faults].join('\n')}\n`)
process.exit(faults.length > 0 || isBroken ? 1 : 0)
