/** A4 in points. */
const pageSize = { width: 595, height: 842 };
const lineHeight = 16;
const maxLines = 46;

/** A one-page PDF of lines of text, the first one large. Characters outside Latin-1 become question marks. */
export function textPdf(lines: readonly string[]): Buffer {
  const shown = lines.slice(0, maxLines);
  const content = shown
    .map((line, index) => {
      const size = index === 0 ? 20 : 11;
      return `BT /F1 ${size} Tf 56 ${pageSize.height - 72 - index * lineHeight - (index > 0 ? 12 : 0)} Td (${escaped(line)}) Tj ET`;
    })
    .join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageSize.width} ${pageSize.height}] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>`,
    `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = Buffer.byteLength(file, 'latin1');
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = Buffer.byteLength(file, 'latin1');
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

const escaped = (text: string): string =>
  text.replaceAll(/[^\u0020-\u00ff]/g, '?').replaceAll(/[\\()]/g, (character) => `\\${character}`);
