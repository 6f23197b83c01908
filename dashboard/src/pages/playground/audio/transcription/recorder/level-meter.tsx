import { useEffect, useRef } from 'react';
import css from './recorder.module.css';

/** How loud the microphone is: from silence, 60 dB below the loudest, to that. */
const range = 60;
/** Of what was shown, what is left with the next frame: a word is seen for as long as it is heard. */
const decay = 0.96;

/** Shows that there is sound. Drawn without React, as it changes with each frame. */
export function LevelMeter({ stream }: { readonly stream: MediaStream }) {
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 1024 });
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let [frame, level] = [0, 0];
    const draw = (): void => {
      analyser.getFloatTimeDomainData(samples);
      level = Math.max(levelOf(samples), level * decay);
      meter.current?.style.setProperty('--level', String(level));
      meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 10) * 10));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      cancelAnimationFrame(frame);
      void context.close();
    };
  }, [stream]);
  return (
    <div
      ref={meter}
      className={css.meter}
      role="meter"
      aria-label="Input level"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    />
  );
}

/** From 0 to 1, by ear: of the mean power. */
function levelOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-12);
  return Math.min(1, Math.max(0, 1 + decibels / range));
}
