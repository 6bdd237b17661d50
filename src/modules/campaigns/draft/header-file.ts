import { NotFoundError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import { recordAudit } from '../../audit/record'
import { componentOf, headerKind, mediaFormatOf } from '../../../platform/templates/components'
import { contentOf, type Content } from '../../media/content'
import { findMedia, keepMediaIn } from '../../media/store'
import { storeUpload } from '../../media/upload'
import { mediaSummary } from '../../media/view'
import { STEPS } from '../rules'
import { changeCampaignIn, getCampaignRow, wrongState } from '../state'
import { findTemplateOf } from './template'

/** A file a campaign puts into the header of its template. */
export interface HeaderFileView {
  media_id: string
  filename: string | null
  mime_type: string | null
  size_bytes: number | null
}

/**
 * Keeps a file as the header of a campaign. Throws NotFoundError, ConflictError `wrong_state`, and
 * as handing in a file does; a template whose header takes none is answered 404 `no_media`.
 */
export async function setHeaderFile(
  ctx: Ctx,
  id: string,
  file: StagedFile,
): Promise<HeaderFileView> {
  const campaign = getCampaignRow(ctx, id)
  requireEditable(campaign)
  const template = findTemplateOf(ctx, campaign.templateId)
  const format = template && mediaFormatOf(componentOf(template.fillable.components, 'HEADER'))
  if (!format) throw new NotFoundError('Template header with a file', { code: 'no_media' })
  const media = await storeUpload(ctx, { file, kind: headerKind(format) })
  return transact(ctx.db, (tx) => {
    const before = getCampaignRow(ctx, id)
    requireEditable(before)
    keepMediaIn(tx, ctx, [media.id])
    changeCampaignIn(tx, ctx, id, { headerMediaId: media.id })
    const changes = [
      { field: 'header_media_id', old_value: before.headerMediaId, new_value: media.id },
    ]
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'campaign',
      resourceId: id,
      resourceName: before.name,
      changes,
    })
    const { filename, mime_type, size_bytes } = mediaSummary(media)
    return { media_id: media.id, filename, mime_type, size_bytes }
  })
}

function requireEditable(row: ReturnType<typeof getCampaignRow>): void {
  if (!STEPS.edit.some((status) => status === row.status)) throw wrongState(row)
}

/**
 * The bytes of a campaign's own header. Throws NotFoundError `no_media` when it has none, and as
 * reading a file does.
 */
export async function headerContent(ctx: Ctx, id: string): Promise<Content> {
  const { headerMediaId } = getCampaignRow(ctx, id)
  const [row] = headerMediaId === null ? [] : findMedia(ctx, [headerMediaId])
  if (!row) throw new NotFoundError('Campaign file', { code: 'no_media' })
  return await contentOf(ctx, row, false)
}
