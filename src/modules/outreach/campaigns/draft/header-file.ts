import { NotFoundError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { recordCampaignIn } from '../audit'
import { componentOf, headerKind, mediaFormatOf } from '../../../../platform/templates/components'
import { contentOf, type Content } from '../../../channel/media/content'
import { findMedia, keepMediaIn } from '../../../channel/media/store'
import { storeUpload } from '../../../channel/media/upload'
import { mediaSummary } from '../../../channel/media/view'
import { STEPS } from '../rules'
import { changeCampaignIn, getCampaignRow, wrongState } from '../state'
import { findTemplateOf } from './template'

/** A header file in API responses. */
export interface HeaderFileView {
  media_id: string
  filename: string | null
  mime_type: string | null
  size_bytes: number | null
}

/**
 * Stores a file as the header of a campaign. Throws NotFoundError (`no_media` if the template's
 * header takes no file), ConflictError `wrong_state`, and the errors of an upload.
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
    recordCampaignIn(tx, ctx, before, 'updated', changes)
    const { filename, mime_type, size_bytes } = mediaSummary(media)
    return { media_id: media.id, filename, mime_type, size_bytes }
  })
}

function requireEditable(row: ReturnType<typeof getCampaignRow>): void {
  if (!STEPS.edit.some((status) => status === row.status)) throw wrongState(row)
}

/**
 * Returns the content of a campaign's header file. Throws NotFoundError `no_media` if it has none,
 * and the errors of reading a file.
 */
export async function headerContent(ctx: Ctx, id: string): Promise<Content> {
  const { headerMediaId } = getCampaignRow(ctx, id)
  const [row] = headerMediaId === null ? [] : findMedia(ctx, [headerMediaId])
  if (!row) throw new NotFoundError('Campaign file', { code: 'no_media' })
  return await contentOf(ctx, row, false)
}
