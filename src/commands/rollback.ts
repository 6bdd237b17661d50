import { sinceWords } from '../modules/operation/system/since-copy'
import { print, printFolder, UnconfirmedError, type Command } from './command'
import { openTarget } from './restore-data'
import { rollBack, type RollbackFacts } from './rollback-data'

/** Goes back to the database from before the last upgrade. */
export const rollback: Command = {
  name: 'rollback',
  forms: [
    [
      'rollback [--yes]',
      'go back to the database from before the last upgrade; stop the server first',
    ],
  ],
  more:
    'If the former version starts with the database of today, only replace the executable: not every ' +
    'upgrade\nchanges the database. One that does copies it before. This command puts that copy back, ' +
    'with the media\nfiles that belong to it, and works with the new and with the former version. It shows ' +
    'what came in\nsince the upgrade: messages, contacts, consents, reactions, calls, webhooks, and changes by ' +
    'people. If\nthere is anything, it changes nothing without --yes. The previous data is kept beside it as\n' +
    '*.before-restore.\n\nThen put the former version in place and start it. As after a restore, ' +
    'messages that were unsent\nbecome unknown and are never sent, campaigns are paused, scheduled ' +
    'messages that were due since\nfail, and the clocks of transfers count anew.\n\nIf it is ' +
    'interrupted, run it again.',
  flags: { yes: { type: 'boolean' } },
  words: 0,
  async run({ flags, isJson, config }) {
    const settings = config()
    const dir = openTarget(settings)
    printFolder(dir.path, isJson)
    const facts = await rollBack(settings, dir, { goes: flags['yes'] === true })
    print(isJson ? JSON.stringify(facts) : rollbackReport(facts))
    if (facts.former === null)
      throw new UnconfirmedError(
        'Nothing was changed. If the former version starts with the database of today, only replace ' +
          'the executable. Otherwise pass --yes to go back without what came in since.',
      )
  },
}

function rollbackReport(facts: RollbackFacts): string {
  const { former, since, undone } = facts
  const upgrade =
    `the database of ${facts.made_at}` +
    (undone === null || undone.length === 0 ? '' : `, from before ${undone.join(', ')}`)
  if (former === null) return [`The copy is ${upgrade}.`, ...cameIn(since)].join('\n')
  return [
    `Went back to ${upgrade}.`,
    ...cameIn(since),
    ...(facts.files_missing > 0 ? [`${facts.files_missing} media files are missing.`] : []),
    ...(former.length > 0 ? [`Previous data kept at: ${former.join(', ')}.`] : []),
    facts.needs_former_version
      ? 'Now put the former version of Switchboard in place of this one, and start it. At its first start'
      : 'Now start the server. At its first start',
    'unsent messages become unknown and campaigns are paused, because they may have been sent since.',
  ].join('\n')
}

/** Says what came in since a copy was made. */
function cameIn(since: RollbackFacts['since']): string[] {
  if (since === null)
    return ['What came in since cannot be counted, because the present database cannot be read.']
  const words = sinceWords(since)
  return words.length === 0
    ? ['Nothing came in since.']
    : ['What came in since is not in it:', ...words.map((word) => `  ${word}`)]
}
