import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPackage } from './python-package.ts';

const run = promisify(execFile);

/** Its wheel contains the command. */
const wheel = 'imageio-ffmpeg==0.8.1';
const printPath = 'import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())';

/** The FFmpeg command of the system or of a separate folder, or the reason why it is missing. */
export async function findFfmpeg(folder: string): Promise<{ readonly ffmpeg: string } | { readonly reason: string }> {
  const isThere = await run('ffmpeg', ['-version']).then(
    () => true,
    () => false,
  );
  if (isThere) return { ffmpeg: 'ffmpeg' };
  const installed = await installPackage(folder, wheel);
  if ('reason' in installed) return installed;
  const { stdout } = await run(installed.python, ['-c', printPath]);
  return { ffmpeg: stdout.trim() };
}
