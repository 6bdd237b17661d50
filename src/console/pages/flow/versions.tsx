import { useState } from 'react'

import { call, type Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Loaded, Pager } from '../../parts/loaded'
import { Empty } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { asKnown } from './as-known'
import { Side } from './side'
import { useFlow } from './use-flow'

type Version = Data<'GET /api/chatbot/flows/{id}/versions'>['items'][number]

/** What was published of a flow, each of which can be the draft again. */
export function Versions({ onClose }: { onClose: () => void }) {
  const { flow } = useFlow()
  const [page, setPage] = useState(1)
  const versions = useApi('GET /api/chatbot/flows/{id}/versions', {
    params: { id: flow.id },
    query: { page, limit: 20 },
  })
  return (
    <Side label={t('flow.versions')} title={t('flow.versions')} icon="clock" onClose={onClose}>
      <div className="flow-side-body">
        <Loaded result={versions}>
          {({ items, total_pages: pages }) =>
            items.length === 0 ? (
              <Empty icon="clock" title={t('flow.versions-none')} hint={t('flow.versions-hint')} />
            ) : (
              <>
                <ul className="flow-versions">
                  {items.map((one) => (
                    <VersionRow key={one.version} version={one} />
                  ))}
                </ul>
                <Pager page={page} pages={pages} onPage={setPage} />
              </>
            )
          }
        </Loaded>
      </div>
    </Side>
  )
}

function VersionRow({ version: one }: { version: Version }) {
  const { flow, store, isEditable } = useFlow()
  const { version, published_at: at, published_by_name: by } = one
  const isNow = version === flow.version && !flow.has_draft
  /** Makes a version the draft, as a step that can be taken back. */
  const restore = async (): Promise<void> => {
    const params = { id: flow.id, version: String(version) }
    await store.refresh()
    await asKnown(store, async ({ updated_at: ifMatch }) => {
      const wish = { params, ifMatch }
      store.restored(await call('POST /api/chatbot/flows/{id}/versions/{version}/restore', wish))
    })
    notify(t('flow.restored', { version }), store.unrestore)
  }
  return (
    <li className="item">
      <div className="grow">
        <p className="item-name">
          {t('flow.version-number', { version })}
          {version === flow.version && <span className="chip good">{t('flow.version-now')}</span>}
        </p>
        <p className="muted small">
          <time dateTime={at}>{formatDateTime(at)}</time>
          {by !== null && <bdi> · {by}</bdi>}
        </p>
      </div>
      {isEditable && !isNow && (
        <Button
          onPress={() => {
            restore().catch(report)
          }}
        >
          {t('flow.restore')}
        </Button>
      )}
    </li>
  )
}
