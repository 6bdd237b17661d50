import { Link } from '@tanstack/react-router'

import { GuideLink } from '../../parts/guide-link'
import { Icon } from '../../parts/icons'
import { findText, t, type TextKey } from '../../texts/texts'
import { sentenceOfFinding, type HealthFinding } from './words'

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
