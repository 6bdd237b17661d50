import { call } from '../../../api/client'
import type { AiContext } from '../../../api/shapes'
import { Section } from '../../../parts/page'
import { sentenceOf, Trouble } from '../../../parts/state'
import { Upload } from '../../../parts/upload'
import { useFileUpload } from '../../../parts/use-file-upload'
import { formatBytes, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { DocumentState } from './sources'
import { useKeepSource } from './source-verbs'

/** What the server reads. */
export const DOCUMENTS = { accept: '.pdf,.docx,.txt,.md,.html,.htm', maxBytes: 20_000_000 }

/** Uploads a document for a source. */
export function uploadDocument(id: string, file: File, signal?: AbortSignal): Promise<AiContext> {
  const body = new FormData()
  body.set('file', file)
  return call('POST /api/chatbot/ai-contexts/{id}/document', {
    params: { id },
    body,
    ...(signal ? { signal } : {}),
  })
}

/** The document of a source: how far it is read, what was found, and another one in its place. */
export function DocumentPart({ source }: { source: AiContext }) {
  const { isBusy, error, run, cancel } = useFileUpload()
  const keep = useKeepSource()
  const { document } = source
  return (
    <Section title={t('bot.ai.document')} actions={<DocumentState source={source} />}>
      {document && (
        <p dir="auto">
          {[
            document.filename,
            formatBytes(document.size_bytes),
            document.pages !== null && t('bot.ai.pages', { count: document.pages }),
            document.state === 'ready' &&
              t('bot.ai.parts', {
                count: document.chunks,
                characters: formatNumber(document.characters),
              }),
          ]
            .filter((fact) => typeof fact === 'string')
            .join(' · ')}
        </p>
      )}
      {document?.error != null && <Trouble>{document.error}</Trouble>}
      <Upload
        label={t('bot.ai.document-new')}
        hint={t('bot.ai.document-hint')}
        {...DOCUMENTS}
        isBusy={isBusy}
        onFile={(file) => {
          run(async (signal) => {
            await keep(await uploadDocument(source.id, file, signal))
          })
        }}
        onCancel={cancel}
      />
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
    </Section>
  )
}
