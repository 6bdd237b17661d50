/** The argument with which the executable runs as the process that reads a document. */
export const READ_DOCUMENT = '__read-document'
