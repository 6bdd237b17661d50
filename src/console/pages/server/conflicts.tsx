import { useState } from 'react'

import { Pager } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { findText, t } from '../../texts/texts'
import { BLOCKING, type OrganizationImport } from './rules'

/** Conflicts of a page: an organization may have as many people as accounts here. */
const PER_PAGE = 20

/** What stands in the way of an import, and what will be different here. Nothing if there is none. */
export function Conflicts({ shown: { conflicts } }: { shown: OrganizationImport }) {
  const [page, setPage] = useState(1)
  const pages = Math.max(1, Math.ceil(conflicts.length / PER_PAGE))
  if (conflicts.length === 0) return null
  return (
    <Section title={t('server.imports.conflicts')} hint={t('server.imports.conflicts-hint')}>
      <ul className="attempts">
        {conflicts
          .slice((page - 1) * PER_PAGE, page * PER_PAGE)
          .map(({ kind, reason, values, message, line }) => (
            <li key={`${kind} ${message} ${line ?? ''}`}>
              <p>
                <b>{findText(`server.conflict.${kind}`) ?? kind}</b>{' '}
                {BLOCKING.has(kind) && (
                  <span className="chip danger">{t('server.imports.blocking')}</span>
                )}
              </p>
              <p className="muted small" dir="auto">
                {t(`server.conflict-is.${reason}`, values)}
              </p>
            </li>
          ))}
      </ul>
      <Pager page={page} pages={pages} onPage={setPage} />
    </Section>
  )
}
