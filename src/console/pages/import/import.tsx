import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import { upload } from '../../api/upload'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { report } from '../../parts/toast'
import { Wizard } from '../../parts/wizard'
import { t } from '../../texts/texts'
import { FileStep } from './file-step'
import { Past } from './past'
import { stepsOf } from './steps'

/** Asks for a file of people, and lists those that were imported. */
export function Import() {
  if (useCan('contacts:import')) return <First />
  return (
    <Page title={t('import.title')}>
      <Guarded needs="contacts:import">{null}</Guarded>
    </Page>
  )
}

/** The first step. The file is a draft on the server from then on. */
function First() {
  const navigate = useNavigate()
  const client = useQueryClient()
  const known = useApi('GET /api/import/{table}/config', { params: { table: 'contacts' } })
  return (
    <Wizard
      title={t('import.title')}
      steps={stepsOf({ hasFile: false, isReady: false })}
      step="file"
      onStep={() => undefined}
      leave={t('parts.action.cancel')}
      below={<Past />}
      onLeave={() => {
        navigate({ to: '/contacts', search: {} }).catch(report)
      }}
    >
      {known.data && (
        <FileStep
          maxBytes={known.data.max_bytes}
          onFile={async (file, options) => {
            const body = new FormData()
            body.set('file', file)
            body.set('table', 'contacts')
            body.set('draft', 'true')
            body.set('update_on_duplicate', 'true')
            const { id } = await upload('POST /api/import', body, options)
            await client.invalidateQueries({ queryKey: ['GET /api/imports'] })
            await navigate({
              to: '/contacts/import/$importId',
              params: { importId: id },
              search: { step: 'columns' },
            })
          }}
        />
      )}
    </Wizard>
  )
}
