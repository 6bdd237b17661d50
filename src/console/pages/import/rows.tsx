import { useState } from 'react'

import { useApi } from '../../live/query'
import { fieldSentence } from '../../parts/field-words'
import { Loaded, Pager } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { t } from '../../texts/texts'
import { labelOf } from './columns'
import type { Import } from './state'

const PAGE = 20

const useFields = () =>
  useApi('GET /api/import/{table}/config', { params: { table: 'contacts' } }).data?.columns ?? []

/** What is wrong in a row, after the name of its column. */
const sentence = (column: string | null, message: string): string => {
  const known = fieldSentence(message)
  if (column === null) return known
  return known === message ? `${column} ${message}` : `${column}: ${known}`
}

/** The first rows of a file as they will be. */
export function FirstRows({ importId }: { importId: string }) {
  const fields = useFields()
  const result = useApi('GET /api/imports/{id}/sample', { params: { id: importId } })
  const columns = result.data?.items[0]?.values.map(({ key }) => key) ?? []
  if (result.data?.items.length === 0) return null
  return (
    <Section title={t('import.sample')}>
      <Loaded result={result}>
        {({ items }) => (
          <div className="import-sample" tabIndex={0} role="region" aria-label={t('import.sample')}>
            <table>
              <thead>
                <tr>
                  {columns.map((key) => (
                    <th key={key} scope="col">
                      <bdi>{labelOf(fields, key)}</bdi>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {items.map(({ row, values, outcome }) => (
                  <tr key={row} className={outcome ?? ''}>
                    {values.map(({ key, value }) => (
                      <td key={key}>
                        <bdi>{value}</bdi>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </Section>
  )
}

/** Every row with a problem, and what it is. */
export function Problems({ one }: { one: Import }) {
  const fields = useFields()
  const [page, setPage] = useState(1)
  const result = useApi('GET /api/imports/{id}/rows', {
    params: { id: one.id },
    query: { outcome: 'failed', page, limit: PAGE },
  })
  return (
    <Section title={t('import.problems')}>
      <Loaded result={result}>
        {({ items, total_pages: pages }) => (
          <>
            <ul className="import-problems">
              {items.map(({ row, errors }) => (
                <li key={row}>
                  <b>{t('import.row', { row })}</b>{' '}
                  {errors.map(({ column, message, value }) => (
                    <span key={`${column} ${message}`} dir="auto">
                      {sentence(column === null ? null : labelOf(fields, column), message)}
                      {value !== null && (
                        <>
                          {' '}
                          <code>{value}</code>
                        </>
                      )}
                    </span>
                  ))}
                </li>
              ))}
            </ul>
            <Pager page={page} pages={pages} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
