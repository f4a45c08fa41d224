package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// startGuard: the system ends a job itself when the last handle to it is gone,
// so no guard is needed.
func startGuard() (guardInput, error) { return noGuard{}, nil }

type noGuard struct{}

func (noGuard) WriteString(s string) (int, error) { return len(s), nil }
func (noGuard) Close() error                      { return nil }

func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true, // no console flashes up
		// Suspended, so that it starts nothing before it is in its job.
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW | windows.CREATE_SUSPENDED,
	}
}

// passFiles lets the child have the very handles of files: only those that are
// listed are passed on, whatever else may be inherited.
func passFiles(cmd *exec.Cmd, files []*os.File) error {
	for _, f := range files {
		h := windows.Handle(f.Fd())
		if err := windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(h))
	}
	return nil
}

// A tree is the job object that a command and all its children are in.
type tree struct{ job windows.Handle }

var resumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// rooted puts a command that was just started into a job and lets it run.
func rooted(cmd *exec.Cmd, _ *Command) (*tree, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	var inJob error
	err = cmd.Process.WithHandle(func(handle uintptr) {
		if inJob = windows.AssignProcessToJobObject(job, windows.Handle(handle)); inJob != nil {
			return
		}
		if status, _, _ := resumeProcess.Call(handle); status != 0 {
			inJob = windows.NTStatus(uint32(status))
		}
	})
	if err == nil {
		err = inJob
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("process: job object: %w", err)
	}
	return &tree{job}, nil
}

// newJob makes a job that ends with this program.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("process: job object: %w", err)
	}
	if err := limitJob(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		_ = windows.CloseHandle(job)
		return 0, fmt.Errorf("process: job object: %w", err)
	}
	return job, nil
}

func limitJob(job windows.Handle, flags uint32) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// polite is forceful: programs without a window hear no polite word here.
func (t *tree) polite() { t.forceful() }

func (t *tree) forceful() { _ = windows.TerminateJobObject(t.job, 1) } // one that is gone is what we want

// end ends what is left in the job. What that was is not told apart here.
func (t *tree) end(time.Duration) (left bool) {
	t.forceful()
	return false
}

// leave lets what is in the job go on when the job is let go of.
func (t *tree) leave() { _ = limitJob(t.job, 0) }

// close lets go of the job, and with it ends what is left in it.
func (t *tree) close() { _ = windows.CloseHandle(t.job) }

// Marked finds nothing here: what a command starts is known by its job.
func Marked(string) []int { return nil }

// InSession finds nothing here, as Marked.
func InSession(int) []int { return nil }

func signalName(*os.ProcessState) string { return "" }

// BecomeSubreaper does nothing here: the system has no such thing.
func BecomeSubreaper(context.Context) error { return nil }
