import { Link } from '@tanstack/react-router'

import type { Data } from '../../api/client'
import { GuideLink } from '../../parts/guide-link'
import { Icon } from '../../parts/icons'
import { formatBytes } from '../../texts/format'
import { findText, t, type TextKey, type TextValues } from '../../texts/texts'

/** Something that was found about the server. */
export type HealthFinding = Data<'GET /api/admin/health'>['findings'][number]

/** The screens on which something is mended. */
const PLACES = {
  jobs_stalled: { to: '/server/jobs', text: 'server.jobs.title' },
  jobs_late: { to: '/server/jobs', text: 'server.jobs.title' },
  changes_failed: { to: '/settings/incoming', text: 'incoming.title' },
  backup_folder: { to: '/server/settings', text: 'server.settings.title' },
  backups_off: { to: '/server/settings', text: 'server.settings.title' },
  no_backup: { to: '/server/backups', text: 'server.backups.title' },
  backup_old: { to: '/server/backups', text: 'server.backups.title' },
  version_of_numbers: { to: '/settings/numbers', text: 'settings.numbers.title' },
  settings_misspelled: { to: '/server/settings', text: 'server.settings.title' },
} as const satisfies Record<string, { to: string; text: TextKey }>

/** The pages of the guide about the rest. */
const GUIDES: Record<string, string> = {
  database_damaged: '/docs/backup-and-restore',
  restore_interrupted: '/docs/backup-and-restore',
  replaced_data: '/docs/backup-and-restore',
  replica_old: '/docs/stand-by',
  replica_unreadable: '/docs/stand-by',
  cell_unreachable: '/docs/second-server',
}
const GUIDE = '/docs/operate'

const placeOf = (code: string | null) =>
  Object.entries(PLACES).find(([known]) => known === code)?.[1]

/** The values of a finding as people read them. */
const shown = ({ bytes, ...values }: HealthFinding['values']): TextValues => ({
  ...values,
  ...(bytes === undefined ? {} : { size: formatBytes(Number(bytes)) }),
})

/** Returns a finding in the language of the person: what is wrong, and what to do. */
export function sentenceOfFinding({ code, message, values }: HealthFinding): string {
  const key = `server.finding.${code ?? ''}`
  // the server says it in English if this page is older
  return findText(key) === null ? message : t(key as TextKey, shown(values))
}

/** Something that was found, with the way to where it is mended. */
export function Finding({ finding }: { finding: HealthFinding }) {
  const { check, code, state } = finding
  const place = placeOf(code)
  return (
    <li className={state === 'problem' ? 'finding serious' : 'finding'}>
      <Icon name={state === 'problem' ? 'warning' : 'info'} />
      <div className="grow">
        <p className="finding-name">
          <b>{findText(`server.check.${check}`) ?? check}</b>
          {state === 'problem' && (
            <span className="chip danger">{t('server.findings.problem')}</span>
          )}
        </p>
        <p dir="auto">{sentenceOfFinding(finding)}</p>
        {place === undefined ? (
          <GuideLink href={GUIDES[code ?? ''] ?? GUIDE} />
        ) : (
          <Link to={place.to} search={{}}>
            {t(place.text)}
          </Link>
        )}
      </div>
    </li>
  )
}
