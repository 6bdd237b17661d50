import { useApi } from '../../live/query'
import { Loaded } from '../../parts/loaded'
import { formatBytes } from '../../texts/format'
import { t } from '../../texts/texts'
import { Facts } from './facts'
import { countText } from './words'

/** Kinds of rows that an operator knows. The server counts each up to a million. */
const COUNTED = [
  'organizations',
  'users',
  'accounts',
  'contacts',
  'conversations',
  'messages',
] as const
/** What is on the server: how many of each thing, and how large files and backups are. */
export function Stored() {
  const result = useApi('GET /api/admin/info', {})
  return (
    <Loaded result={result} rows={1}>
      {({ counts, sizes, commit, runtime, sqlite, schema }) => (
        <Facts
          title={t('server.stored.title')}
          facts={[
            ...COUNTED.map(
              (kind) => [t(`server.stored.${kind}`), countText(counts[kind] ?? 0)] as const,
            ),
            [t('server.stored.files'), formatBytes(sizes.media_bytes)],
            [t('server.stored.backups'), formatBytes(sizes.backups_bytes)],
            [
              t('server.stored.program'),
              t('server.stored.parts', {
                commit: commit?.slice(0, 8) ?? t('server.stored.source'),
                runtime,
                sqlite,
                schema: schema.version,
              }),
            ],
          ]}
        />
      )}
    </Loaded>
  )
}
