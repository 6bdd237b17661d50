import {
  headerKind,
  mediaFormatOf,
  type Header,
} from '../../../../../platform/templates/components'
import type { Report } from '../../../../../lib/input-problems'
import type { StagedFile } from '../../../../../infra/files/staged-file'
import type { FileInput } from '../media'
import type { NewMessage } from '../model'

/** The template fields of a request body. */
export type TemplateInput = Pick<
  NewMessage,
  | 'template_id'
  | 'template_name'
  | 'language'
  | 'template_params'
  | 'header_params'
  | 'button_params'
  | 'header_media_id'
  | 'header_media_url'
  | 'header_media_filename'
  | 'cards'
  | 'flow_params'
  | 'offer_expires_at'
> & { file?: StagedFile | undefined }

/** Reads the file of a header: the requested one, otherwise the template's own. */
export function readHeaderFile(
  report: Report,
  root: string,
  header: Header | undefined,
  source: Pick<
    TemplateInput,
    'header_media_id' | 'header_media_url' | 'header_media_filename' | 'file'
  > & { ownId: string | null },
): FileInput | null {
  const { header_media_id: mediaId, header_media_url: url, file, ownId } = source
  const named = [mediaId, url, file].filter((value) => value !== undefined)
  const format = mediaFormatOf(header)
  const path =
    mediaId !== undefined
      ? `${root}.header_media_id`
      : url !== undefined
        ? `${root}.header_media_url`
        : `${root}.header_file`
  if (named.length > 1) report(path, 'cannot be combined with another source of the file')
  if (format === null) {
    if (named.length > 0) report(path, "cannot be used because the template's header has no file")
    return null
  }
  const input: FileInput = {
    kind: headerKind(format),
    mediaId: mediaId ?? null,
    url: url ?? null,
    staged: file ?? null,
    filename: source.header_media_filename,
    path,
  }
  if (named.length === 1) return input
  return ownId === null ? null : { ...input, mediaId: ownId, isKeptReady: true }
}
